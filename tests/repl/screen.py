"""A terminal's screen: enough of one to see what libedit, less and ncurses leave on it."""

import re
import unicodedata


def width(char):
    if unicodedata.combining(char) or char in "\u200b\u200d\ufe0f":
        return 0
    return 2 if unicodedata.east_asian_width(char) in "WF" else 1


class Screen:
    """Rows of cells. feed() takes what a program writes; rows(), row and column tell what is seen.

    A wide character takes two cells, the second of which is empty. As in xterm, a full row is
    left only when the next character comes.
    """

    ESCAPE = re.compile(r"\x1b(?:\[([?>]?[0-9;]*)([@-~])|\][^\x07]*\x07|[()].|[=>78MDEc])")

    def __init__(self, columns, rows):
        self.columns, self.height = columns, rows
        self.cells = [[" "] * columns for _ in range(rows)]
        self.row = self.column = 0
        self.pending = ""
        self.top, self.bottom = 0, rows - 1  # The rows that scroll.
        self.printed = " "  # The last character.
        self.unknown = []  # Sequences that this does not understand: a test looks at it.

    def rows(self):
        return ["".join(row).rstrip() for row in self.cells]

    def text(self):
        return "\n".join(self.rows()).rstrip("\n")

    def before_cursor(self):
        return "".join(self.cells[self.row][: self.column])

    def resize(self, columns, rows):
        """As a terminal that does not wrap anew: rows are cut or filled up."""
        self.cells = [(row + [" "] * columns)[:columns] for row in self.cells]
        while len(self.cells) > rows and self.row > 0:
            del self.cells[0]
            self.row -= 1
        self.cells = self.cells[:rows] + [[" "] * columns for _ in range(rows - len(self.cells))]
        self.columns, self.height = columns, rows
        self.top, self.bottom = 0, rows - 1
        self.column = min(self.column, columns - 1)

    def feed(self, text):
        text, self.pending = self.pending + text, ""
        at = 0
        while at < len(text):
            char = text[at]
            if char != "\x1b":
                self.put(char)
                at += 1
                continue
            found = self.ESCAPE.match(text, at)
            if not found:
                if len(text) - at < 32:  # It may go on with what comes next.
                    self.pending = text[at:]
                    return
                self.unknown.append(text[at : at + 8])
                at += 1
                continue
            if found[2]:
                self.control(found[1], found[2])
            elif found[0] == "\x1bM" and self.row == self.top:
                self.scroll(self.top, -1)
            elif found[0] == "\x1bM":
                self.row -= 1
            at = found.end()

    def put(self, char):
        if char == "\r":
            self.column = 0
        elif char == "\n":
            self.line_feed()
        elif char == "\b":
            self.column = max(min(self.column, self.columns - 1) - 1, 0)
        elif char == "\t":
            self.column = min((self.column // 8 + 1) * 8, self.columns - 1)
        elif char >= " " and char != "\x7f":
            self.print(char)

    def print(self, char):
        cells = width(char)
        if cells == 0:
            if self.column > 0:
                self.cells[self.row][self.column - 1] += char
            return
        if self.column + cells > self.columns:
            self.column = 0
            self.line_feed()
        row = self.cells[self.row]
        row[self.column] = char
        if cells == 2:
            row[self.column + 1] = ""
        self.column += cells
        self.printed = char

    def line_feed(self):
        if self.row == self.bottom:
            self.scroll(self.top, 1)
        elif self.row + 1 < self.height:
            self.row += 1

    def scroll(self, top, rows):
        """Moves the rows from `top` to the bottom of the region up, or down if `rows` is negative."""
        for _ in range(abs(rows)):
            del self.cells[top if rows > 0 else self.bottom]
            self.cells.insert(self.bottom if rows > 0 else top, [" "] * self.columns)

    def control(self, parameters, final):
        if parameters[:1] in ("?", ">"):
            return  # Modes: bracketed paste, keypad.
        numbers = [int(n or 0) for n in parameters.split(";")] if parameters else [0]
        count = max(numbers[0], 1)
        row = self.cells[self.row]
        blank = [" "] * self.columns
        self.column = min(self.column, self.columns - 1) if final in "ABCDKPX@J" else self.column
        if final == "A":
            self.row = max(self.row - count, 0)
        elif final == "B":
            self.row = min(self.row + count, self.height - 1)
        elif final == "C":
            self.column = min(self.column + count, self.columns - 1)
        elif final == "D":
            self.column = max(self.column - count, 0)
        elif final == "G":
            self.column = min(count, self.columns) - 1
        elif final == "d":
            self.row = min(count, self.height) - 1
        elif final in "Hf":
            down, right = (numbers + [0])[:2]
            self.row = min(max(down, 1), self.height) - 1
            self.column = min(max(right, 1), self.columns) - 1
        elif final == "K" and numbers[0] == 0:
            row[self.column :] = blank[self.column :]
        elif final == "J" and numbers[0] == 0:
            row[self.column :] = blank[self.column :]
            for below in range(self.row + 1, self.height):
                self.cells[below] = list(blank)
        elif final == "J":
            self.cells = [list(blank) for _ in range(self.height)]
        elif final == "P":
            del row[self.column : self.column + count]
            row.extend(" " * (self.columns - len(row)))
        elif final == "@":
            row[self.column : self.column] = [" "] * count
            del row[self.columns :]
        elif final == "X":
            row[self.column : self.column + count] = [" "] * count
            del row[self.columns :]
        elif final == "K" and numbers[0] == 1:
            row[: self.column + 1] = blank[: self.column + 1]
        elif final == "r":
            down, up = (numbers + [0])[:2]
            self.top, self.bottom = max(down, 1) - 1, (up or self.height) - 1
            self.row = self.column = 0
        elif final in "LM":
            self.scroll(self.row, count if final == "M" else -count)
        elif final in "ST":
            self.scroll(self.top, count if final == "S" else -count)
        elif final == "b":
            for _ in range(count):
                self.print(self.printed)
        elif final == "Z":
            self.column = max((self.column - 1) // 8 * 8, 0)
        elif final not in "mhlt":
            self.unknown.append(f"[{parameters}{final}")
