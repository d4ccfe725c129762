// Stands for macOS's header of that name, which zig does not carry: the numbers of a terminal's speeds in its
// old interface (4.4BSD, sys/ttydev.h), which ncurses knows them by.
#pragma once

#define B0 0
#define B50 1
#define B75 2
#define B110 3
#define B134 4
#define B150 5
#define B200 6
#define B300 7
#define B600 8
#define B1200 9
#define B1800 10
#define B2400 11
#define B4800 12
#define B9600 13
#define EXTA 14
#define EXTB 15
#define B57600 16
#define B115200 17
