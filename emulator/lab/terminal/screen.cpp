#include "emulator/lab/terminal/screen.h"

#include <poll.h>
#include <signal.h>
#include <unistd.h>

#include <clocale>
#include <cstdlib>
#include <string>

// Last: it defines macros.
#include <curses.h>

namespace heddle::lab::terminal {
namespace {

/// Standard output and input as a screen, from construction to destruction.
class Screen {
 public:
  explicit Screen(bool coloured) {
    if (isatty(STDIN_FILENO) == 0 || isatty(STDOUT_FILENO) == 0)
      throw NoTerminal(
          "standard input and output have to be a terminal; \"heddle litmus --machine random --replay 0\" "
          "and \"heddle trace --list\" print a run without one");
    const char* const type = std::getenv("TERM");
    std::setlocale(LC_ALL, "");
    terminal_ = newterm(nullptr, stdout, stdin);
    if (!terminal_)
      throw NoTerminal(std::string("the terminal type TERM=") + (type ? type : "") +
                       " is not known or cannot show a full screen; TERM=vt100 works with most");
    // A resize is taken between keys alone. It would otherwise be lost where it comes behind ncurses's look at it and
    // before its read.
    sigset_t resize;
    sigemptyset(&resize);
    sigaddset(&resize, SIGWINCH);
    pthread_sigmask(SIG_BLOCK, &resize, &signals_);
    sigdelset(&signals_, SIGWINCH);
    nodelay(stdscr, TRUE);
    raw();
    noecho();
    nonl();
    keypad(stdscr, TRUE);
    set_escdelay(25);
    curs_set(0);
    coloured_ = coloured && has_colors();
    if (!coloured_) return;
    start_color();
    use_default_colors();
    init_pair(kWarning, COLOR_YELLOW, -1);
    init_pair(kWrong, COLOR_RED, -1);
    init_pair(kMoving, COLOR_CYAN, -1);
  }
  ~Screen() {
    if (!terminal_) return;
    endwin();
    delscreen(terminal_);
    pthread_sigmask(SIG_SETMASK, &signals_, nullptr);
  }
  Screen(const Screen&) = delete;
  Screen& operator=(const Screen&) = delete;

  Canvas canvas() const { return {getmaxy(stdscr), getmaxx(stdscr)}; }

  void show(const Canvas& canvas) {
    erase();
    for (int row = 0; row < canvas.rows(); ++row) {
      for (int column = 0; column < canvas.columns(); ++column) {
        // The last cell of all would scroll some terminals.
        if (row == canvas.rows() - 1 && column == canvas.columns() - 1) break;
        const char c = canvas.row(row)[static_cast<std::size_t>(column)];
        mvaddch(row, column,
                static_cast<chtype>(static_cast<unsigned char>(c)) | attributes(canvas.style(row, column)));
      }
    }
    refresh();
  }

  int key() {
    const int key = next();
    switch (key) {
      case ERR:
        return kKeyInterrupt;
      case KEY_UP:
        return kKeyUp;
      case KEY_DOWN:
        return kKeyDown;
      case KEY_LEFT:
        return kKeyLeft;
      case KEY_RIGHT:
        return kKeyRight;
      case KEY_PPAGE:
        return kKeyPageUp;
      case KEY_NPAGE:
        return kKeyPageDown;
      case KEY_HOME:
        return kKeyHome;
      case KEY_END:
        return kKeyEnd;
      case KEY_BACKSPACE:
      case 8:
        return kKeyBackspace;
      case KEY_ENTER:
      case '\r':
        return kKeyEnter;
      case KEY_RESIZE:
        // Terminals move what they show as they please: everything is drawn anew.
        clearok(stdscr, TRUE);
        return kKeyResize;
      default:
        return key > 255 ? static_cast<int>(kKeyNone) : key;
    }
  }

 private:
  /// Waits for a key or a resize; ERR once the terminal is gone.
  int next() {
    bool can_read = false;
    while (true) {
      const int key = getch();
      if (key != ERR || can_read) return key;
      pollfd input{STDIN_FILENO, POLLIN, 0};
      can_read = ppoll(&input, 1, nullptr, &signals_) > 0;
    }
  }

  static constexpr short kWarning = 1;
  static constexpr short kWrong = 2;
  static constexpr short kMoving = 3;

  chtype attributes(Style style) const {
    switch (style) {
      case Style::Plain:
        return A_NORMAL;
      case Style::Bold:
        return A_BOLD;
      case Style::Inverse:
        return A_REVERSE;
      case Style::Warning:
        return coloured_ ? static_cast<chtype>(COLOR_PAIR(kWarning)) : A_UNDERLINE;
      case Style::Wrong:
        return coloured_ ? static_cast<chtype>(COLOR_PAIR(kWrong)) | A_BOLD : A_BOLD;
      case Style::Moving:
        return coloured_ ? static_cast<chtype>(COLOR_PAIR(kMoving)) : A_BOLD;
      case Style::Dim:
        return A_DIM;
    }
    return A_NORMAL;
  }

  SCREEN* terminal_ = nullptr;
  /// What is blocked while a key is waited for.
  sigset_t signals_{};
  bool coloured_ = false;
};

}  // namespace

void show(Face& face, bool coloured) {
  Screen screen(coloured);
  while (true) {
    Canvas canvas = screen.canvas();
    face.draw(canvas);
    screen.show(canvas);
    if (!face.press(screen.key())) return;
  }
}

}  // namespace heddle::lab::terminal
