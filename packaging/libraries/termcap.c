/* The description of a terminal as ECMA-48 has it, instead of a database of terminals: a program that
 * runs in an empty container has none, and xterm, tmux, screen, the Linux console and all that imitate
 * them agree on these. A terminal that calls itself dumb has no sequences. */
#include "termcap.h"

#include <stdio.h>
#include <string.h>

static const struct {
  const char* name;
  const char* sequence;
} kSequences[] = {
    {"bl", "\a"},       {"cd", "\033[J"},   {"ce", "\033[K"},     {"ch", "\033[%dG"}, {"cl", "\033[H\033[J"},
    {"dc", "\033[P"},   {"DC", "\033[%dP"}, {"DO", "\033[%dB"},   {"ei", "\033[4l"},  {"ho", "\033[H"},
    {"IC", "\033[%d@"}, {"im", "\033[4h"},  {"kD", "\033[3~"},    {"kd", "\033OB"},   {"kh", "\033OH"},
    {"kl", "\033OD"},   {"kr", "\033OC"},   {"ku", "\033OA"},     {"LE", "\033[%dD"}, {"md", "\033[1m"},
    {"me", "\033[0m"},  {"nd", "\033[C"},   {"RI", "\033[%dC"},   {"se", "\033[27m"}, {"so", "\033[7m"},
    {"ue", "\033[24m"}, {"up", "\033[A"},   {"UP", "\033[%dA"},   {"us", "\033[4m"},  {"@7", "\033OF"},
};

static int is_dumb;

int tgetent(char* buffer, const char* terminal) {
  (void)buffer;
  is_dumb = terminal == NULL || strcmp(terminal, "dumb") == 0;
  return 1;
}

/* Text wraps at the margin, and only when the next character comes. */
int tgetflag(const char* name) { return strcmp(name, "am") == 0 || (!is_dumb && strcmp(name, "xn") == 0); }

/* libedit asks the terminal itself for its size first. */
int tgetnum(const char* name) {
  if (strcmp(name, "co") == 0) return 80;
  return strcmp(name, "li") == 0 ? 24 : -1;
}

char* tgetstr(const char* name, char** area) {
  (void)area;
  if (is_dumb) return NULL;
  for (size_t i = 0; i < sizeof(kSequences) / sizeof(kSequences[0]); ++i) {
    if (strcmp(kSequences[i].name, name) == 0) return (char*)kSequences[i].sequence;
  }
  return NULL;
}

/* Columns are counted from 0 here and from 1 by "ch"; the other sequences count steps. libedit passes
 * the number as both arguments. */
char* tgoto(const char* capability, int column, int line) {
  static char text[32];
  const size_t length = strlen(capability);
  (void)column;
  snprintf(text, sizeof(text), capability, length > 0 && capability[length - 1] == 'G' ? line + 1 : line);
  return text;
}

int tputs(const char* text, int lines, int (*put)(int)) {
  (void)lines;
  while (*text != '\0') put((unsigned char)*text++);
  return 0;
}
