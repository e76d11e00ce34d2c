#include "tests/lab/pty.h"

#include <poll.h>
#include <pty.h>
#include <signal.h>
#include <sys/ioctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>

namespace heddle::lab {
namespace {

constexpr auto kPatience = std::chrono::seconds(10);

winsize size_of(int rows, int columns) {
  winsize size{};
  size.ws_row = static_cast<unsigned short>(rows);
  size.ws_col = static_cast<unsigned short>(columns);
  return size;
}

}  // namespace

Pty::Pty(const std::vector<std::string>& command, int rows, int columns, const std::vector<std::string>& environment)
    : rows_(rows),
      columns_(columns),
      lines_(static_cast<std::size_t>(rows), std::string(static_cast<std::size_t>(columns), ' ')) {
  winsize size = size_of(rows, columns);
  process_ = forkpty(&terminal_, nullptr, nullptr, &size);
  if (process_ != 0) return;
  setenv("TERM", "vt100", 1);
  unsetenv("LINES");
  unsetenv("COLUMNS");
  for (const std::string& one : environment) {
    const std::size_t equals = one.find('=');
    setenv(one.substr(0, equals).c_str(), one.substr(equals + 1).c_str(), 1);
  }
  std::vector<char*> arguments;
  for (const std::string& word : command) arguments.push_back(const_cast<char*>(word.c_str()));
  arguments.push_back(nullptr);
  execv(arguments[0], arguments.data());
  _exit(127);
}

Pty::~Pty() {
  if (terminal_ >= 0) close(terminal_);
  if (process_ <= 0) return;
  kill(process_, SIGKILL);
  waitpid(process_, nullptr, 0);
}

void Pty::type(const std::string& keys) {
  std::size_t done = 0;
  while (done < keys.size()) {
    const ssize_t some = write(terminal_, keys.data() + done, keys.size() - done);
    if (some <= 0) return;
    done += static_cast<std::size_t>(some);
  }
}

void Pty::resize(int rows, int columns) {
  rows_ = rows;
  columns_ = columns;
  lines_.assign(static_cast<std::size_t>(rows), std::string(static_cast<std::size_t>(columns), ' '));
  const winsize size = size_of(rows, columns);
  ioctl(terminal_, TIOCSWINSZ, &size);
}

bool Pty::read_some(int milliseconds) {
  pollfd ready{terminal_, POLLIN, 0};
  if (poll(&ready, 1, milliseconds) <= 0) return true;
  char buffer[4096];
  const ssize_t some = read(terminal_, buffer, sizeof buffer);
  if (some <= 0) return false;
  for (ssize_t i = 0; i < some; ++i) put(buffer[i]);
  return true;
}

bool Pty::shows(const std::string& text) {
  const auto end = std::chrono::steady_clock::now() + kPatience;
  while (screen().find(text) == std::string::npos) {
    if (std::chrono::steady_clock::now() > end) return false;
    if (!read_some(100)) return screen().find(text) != std::string::npos;
  }
  return true;
}

std::string Pty::screen() const {
  std::string all;
  for (const std::string& line : lines_) all += line + '\n';
  return all;
}

int Pty::exit_code() {
  const auto end = std::chrono::steady_clock::now() + kPatience;
  int status = 0;
  while (std::chrono::steady_clock::now() < end) {
    read_some(20);
    if (waitpid(process_, &status, WNOHANG) != process_) continue;
    process_ = -1;
    while (read_some(0) && poll(nullptr, 0, 0) == 0) {
      pollfd ready{terminal_, POLLIN, 0};
      if (poll(&ready, 1, 0) <= 0) break;
    }
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
  }
  return -1;
}

void Pty::put(char c) {
  written_ += c;
  if (!sequence_.empty()) {
    sequence_ += c;
    const bool is_control = sequence_.size() >= 2 && sequence_[1] == '[';
    const bool is_charset = sequence_.size() >= 2 && (sequence_[1] == '(' || sequence_[1] == ')');
    const bool ends = is_control   ? sequence_.size() > 2 && c >= '@' && c <= '~'
                      : is_charset ? sequence_.size() == 3
                                   : sequence_.size() == 2;
    if (!ends) return;
    escape(sequence_);
    sequence_.clear();
    return;
  }
  switch (c) {
    case '\x1b':
      sequence_ = c;
      return;
    case '\r':
      column_ = 0;
      return;
    case '\n':
      row_ = std::min(row_ + 1, rows_ - 1);
      return;
    case '\b':
      column_ = std::max(column_ - 1, 0);
      return;
    default:
      break;
  }
  if (static_cast<unsigned char>(c) < 32) return;
  if (column_ >= columns_) {
    column_ = 0;
    row_ = std::min(row_ + 1, rows_ - 1);
  }
  lines_[static_cast<std::size_t>(row_)][static_cast<std::size_t>(column_++)] = c;
}

// What a vt100 understands, and ncurses sends to one.
void Pty::escape(const std::string& sequence) {
  if (sequence.size() < 3 || sequence[1] != '[') {
    if (sequence == "\x1bM") row_ = std::max(row_ - 1, 0);
    return;
  }
  std::vector<int> numbers;
  int number = -1;
  for (const char c : sequence.substr(2)) {
    if (c >= '0' && c <= '9') {
      number = std::max(number, 0) * 10 + (c - '0');
    } else {
      numbers.push_back(number);
      number = -1;
    }
  }
  const auto argument = [&](std::size_t i, int otherwise) {
    return i < numbers.size() && numbers[i] > 0 ? numbers[i] : otherwise;
  };
  std::string& line = lines_[static_cast<std::size_t>(row_)];
  const int from = std::min(column_, columns_);
  switch (sequence.back()) {
    case 'H':
      row_ = std::min(argument(0, 1), rows_) - 1;
      column_ = std::min(argument(1, 1), columns_) - 1;
      break;
    case 'A':
      row_ = std::max(row_ - argument(0, 1), 0);
      break;
    case 'B':
      row_ = std::min(row_ + argument(0, 1), rows_ - 1);
      break;
    case 'C':
      column_ = std::min(column_ + argument(0, 1), columns_ - 1);
      break;
    case 'D':
      column_ = std::max(column_ - argument(0, 1), 0);
      break;
    case 'K':
      if (argument(0, 0) == 1) {
        std::fill(line.begin(), line.begin() + std::min(from + 1, columns_), ' ');
      } else {
        std::fill(line.begin() + from, line.end(), ' ');
      }
      break;
    case 'J':
      std::fill(line.begin() + from, line.end(), ' ');
      for (int row = row_ + 1; row < rows_; ++row)
        std::fill(lines_[static_cast<std::size_t>(row)].begin(), lines_[static_cast<std::size_t>(row)].end(), ' ');
      break;
    default:
      break;
  }
}

}  // namespace heddle::lab
