/* What libedit asks of a terminal's description. See termcap.c. */
#pragma once

int tgetent(char* buffer, const char* terminal);
int tgetflag(const char* name);
int tgetnum(const char* name);
char* tgetstr(const char* name, char** area);
char* tgoto(const char* capability, int column, int line);
int tputs(const char* text, int lines, int (*put)(int));
