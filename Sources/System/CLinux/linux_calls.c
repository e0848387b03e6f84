#define _GNU_SOURCE
#include "linux_calls.h"

#include <errno.h>
#include <fcntl.h>
#include <malloc.h>
#include <signal.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <termios.h>
#include <unistd.h>

#ifndef CLOSE_RANGE_CLOEXEC
#define CLOSE_RANGE_CLOEXEC (1U << 2)
#endif

// The command line

static int argument_count;
static char **argument_words;

// glibc gives constructors the arguments of `main`, also in a static program.
__attribute__((constructor)) static void keep_arguments(int count, char **words) {
  argument_count = count;
  argument_words = words;
}

int baton_argument_count(void) { return argument_count; }

const char *baton_argument(int index) {
  return index >= 0 && index < argument_count ? argument_words[index] : NULL;
}

// Event loop

const uint32_t baton_epoll_in = EPOLLIN;
const uint32_t baton_epoll_out = EPOLLOUT;
const uint32_t baton_epoll_hang_up = EPOLLHUP;
const uint32_t baton_epoll_error = EPOLLERR;

int baton_epoll_control(int epoll, int operation, int descriptor, uint32_t events, uint64_t token) {
  struct epoll_event event;
  memset(&event, 0, sizeof event);
  event.events = events;
  event.data.u64 = token;
  return epoll_ctl(epoll, operation, descriptor, &event);
}

int baton_epoll_wait(int epoll, struct baton_ready *ready, int capacity, int timeout_ms) {
  struct epoll_event events[64];
  if (capacity > 64) capacity = 64;
  int count = epoll_wait(epoll, events, capacity, timeout_ms);
  for (int i = 0; i < count; i++) {
    ready[i].token = events[i].data.u64;
    ready[i].events = events[i].events;
  }
  return count;
}

int baton_signal_descriptor(int descriptor, uint64_t signals) {
  sigset_t mask;
  sigemptyset(&mask);
  for (int number = 1; number < 64; number++)
    if (signals & (1ULL << number)) sigaddset(&mask, number);
  int failure = pthread_sigmask(SIG_BLOCK, &mask, NULL);
  if (failure) {
    errno = failure;
    return -1;
  }
  return signalfd(descriptor, &mask, SFD_CLOEXEC | SFD_NONBLOCK);
}

// Files

int baton_open_directory_path(const char *path) { return open(path, O_PATH | O_DIRECTORY | O_CLOEXEC); }

// Memory

uint64_t baton_heap_bytes(void) {
  struct mallinfo2 figures = mallinfo2();
  return (uint64_t)figures.uordblks + (uint64_t)figures.hblkhd;
}

// Processes

int baton_pidfd_open(int32_t pid) { return (int)syscall(SYS_pidfd_open, (pid_t)pid, 0); }

int baton_pidfd_send_signal(int pidfd, int signal) {
  return (int)syscall(SYS_pidfd_send_signal, pidfd, signal, NULL, 0);
}

int baton_pidfd_getfd(int pidfd, int descriptor) {
  return (int)syscall(SYS_pidfd_getfd, pidfd, descriptor, 0);
}

int baton_die_with_parent(int signal) { return prctl(PR_SET_PDEATHSIG, signal); }

int baton_adopt_orphans(void) { return prctl(PR_SET_CHILD_SUBREAPER, 1); }

int baton_is_ignored(int signal) {
  struct sigaction action;
  return !sigaction(signal, NULL, &action) && action.sa_handler == SIG_IGN;
}

int baton_dump_no_core(void) {
  // With 0 a program behind a pipe in core_pattern would still get the dump; with 1 the kernel skips the dump.
  struct rlimit one = {1, 1};
  struct rlimit now;
  if (getrlimit(RLIMIT_CORE, &now) == 0 && now.rlim_max == 0) return 0;
  return setrlimit(RLIMIT_CORE, &one);
}

int baton_deny_memory(int32_t pid) {
  struct rlimit none = {0, 0};
  return prlimit(pid, RLIMIT_AS, &none, NULL);
}

static int lower_soft_limit(int resource, int64_t bytes) {
  struct rlimit limit;
  if (bytes < 0) return 0;
  if (getrlimit(resource, &limit)) return -1;
  limit.rlim_cur = (rlim_t)bytes;
  if (limit.rlim_max != RLIM_INFINITY && limit.rlim_cur > limit.rlim_max) limit.rlim_cur = limit.rlim_max;
  return setrlimit(resource, &limit);
}

static int place(int descriptor, int target) {
  if (descriptor < 0) return 0;
  if (descriptor == target) return fcntl(target, F_SETFD, 0);
  return dup2(descriptor, target) < 0 ? -1 : 0;
}

// Between vfork and execve: only async-signal-safe calls, and no write that the parent could see, as the child runs
// in the parent's memory.
static void become_child(const struct baton_spawn_plan *plan, int report, int32_t parent) {
  sigset_t none;
  struct sigaction standard;
  memset(&standard, 0, sizeof standard);
  standard.sa_handler = SIG_DFL;
  for (int number = 1; number < 65; number++) sigaction(number, &standard, NULL);
  sigemptyset(&none);
  sigprocmask(SIG_SETMASK, &none, NULL);
  if (plan->own_session ? setsid() < 0 : plan->own_process_group && setpgid(0, 0)) goto failed;
  if (plan->parent_death_signal) {
    if (prctl(PR_SET_PDEATHSIG, plan->parent_death_signal)) goto failed;
    // The parent may have died before the line above: then the signal would never be sent.
    if (getppid() != parent) _exit(125);
  }
  // "0" is the writing process. All memory of the program is charged to the group, from its first page on.
  if (plan->group >= 0 && write(plan->group, "0", 1) != 1) goto failed;
  if (lower_soft_limit(RLIMIT_STACK, plan->stack_limit)) goto failed;
  if (lower_soft_limit(RLIMIT_CORE, plan->core_limit)) goto failed;
  // The report pipe and the sources were moved above 9 by the parent, so no placement overwrites another.
  if (place(plan->input, 0) || place(plan->output, 1) || place(plan->error, 2) || place(plan->channel, 3))
    goto failed;
  // Descriptors that a library opened without CLOEXEC are not inherited.
  syscall(SYS_close_range, plan->channel < 0 ? 3U : 4U, ~0U, CLOSE_RANGE_CLOEXEC);
  execve(plan->path, plan->arguments, plan->environment);
failed : {
  int failure = errno;
  ssize_t ignored = write(report, &failure, sizeof failure);
  (void)ignored;
  _exit(126);
}
}

static int above_nine(int descriptor) {
  return descriptor < 0 ? -1 : fcntl(descriptor, F_DUPFD_CLOEXEC, 10);
}

static void close_if_open(int descriptor) {
  if (descriptor >= 0) close(descriptor);
}

int32_t baton_spawn(const struct baton_spawn_plan *plan) {
  struct baton_spawn_plan moved = *plan;
  int report[2];
  int32_t pid = -1;
  int failure = 0;
  int parent = (int)getpid();
  if (pipe2(report, O_CLOEXEC)) return -1;
  int high_report = above_nine(report[1]);
  moved.input = above_nine(plan->input);
  moved.output = above_nine(plan->output);
  moved.error = above_nine(plan->error);
  moved.channel = above_nine(plan->channel);
  moved.group = above_nine(plan->group);
  close(report[1]);
  if (high_report < 0 || (plan->input >= 0 && moved.input < 0) || (plan->output >= 0 && moved.output < 0) ||
      (plan->error >= 0 && moved.error < 0) || (plan->channel >= 0 && moved.channel < 0) ||
      (plan->group >= 0 && moved.group < 0)) {
    failure = errno;
  } else {
    // Block signals: a handler of the parent must not run in the child. vfork, as copying a large parent's page
    // tables would take longer than all of the extension's work before its claim.
    sigset_t all, before;
    sigfillset(&all);
    sigprocmask(SIG_SETMASK, &all, &before);
    pid = vfork();
    if (pid == 0) become_child(&moved, high_report, parent);
    if (pid < 0) failure = errno;
    sigprocmask(SIG_SETMASK, &before, NULL);
  }
  close_if_open(high_report);
  close_if_open(moved.input);
  close_if_open(moved.output);
  close_if_open(moved.error);
  close_if_open(moved.channel);
  close_if_open(moved.group);
  if (pid > 0) {
    ssize_t count;
    do {
      count = read(report[0], &failure, sizeof failure);
    } while (count < 0 && errno == EINTR);
    if (count == sizeof failure) {
      while (waitpid(pid, NULL, 0) < 0 && errno == EINTR) {
      }
      pid = -1;
    }
  }
  close(report[0]);
  if (pid < 0) errno = failure;
  return pid;
}

// Sockets

int baton_peer_credentials(int descriptor, int32_t *pid, uint32_t *uid) {
  struct ucred credentials;
  socklen_t length = sizeof credentials;
  if (getsockopt(descriptor, SOL_SOCKET, SO_PEERCRED, &credentials, &length)) return -1;
  *pid = credentials.pid;
  *uid = credentials.uid;
  return 0;
}

int baton_seqpacket_socket(void) { return socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC | SOCK_NONBLOCK, 0); }

int baton_seqpacket_pair(int descriptors[2]) {
  return socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, descriptors);
}

int baton_accept(int descriptor) { return accept4(descriptor, NULL, NULL, SOCK_CLOEXEC | SOCK_NONBLOCK); }

// Bus errors

static struct {
  const char *sentence;
  int channel;
  const void *packet;
  size_t packet_size;
  int code;
} bus_error;

static void on_bus_error(int number, siginfo_t *information, void *context) {
  (void)context;
  // Sent by kill(2), or a bug of ours: default action.
  if (information->si_code != BUS_ADRERR) {
    signal(number, SIG_DFL);
    raise(number);
    return;
  }
  ssize_t ignored = write(STDERR_FILENO, bus_error.sentence, strlen(bus_error.sentence));
  if (bus_error.channel >= 0)
    ignored = send(bus_error.channel, bus_error.packet, bus_error.packet_size, MSG_NOSIGNAL | MSG_DONTWAIT);
  (void)ignored;
  _exit(bus_error.code);
}

int baton_end_on_bus_error(const char *sentence, int channel, const void *packet, size_t packet_size, int code) {
  bus_error.sentence = sentence;
  bus_error.channel = channel;
  bus_error.packet = packet;
  bus_error.packet_size = packet_size;
  bus_error.code = code;
  struct sigaction action;
  memset(&action, 0, sizeof action);
  action.sa_sigaction = on_bus_error;
  action.sa_flags = SA_SIGINFO;
  sigemptyset(&action.sa_mask);
  return sigaction(SIGBUS, &action, NULL);
}

// A terminal

static struct {
  int descriptor;
  volatile sig_atomic_t is_changed;
  struct termios before;
  const char *bytes;
  size_t size;
} terminal;

static const int fatal_signals[] = {SIGSEGV, SIGBUS, SIGILL, SIGTRAP, SIGFPE, SIGABRT, SIGSYS};
#define FATAL_SIGNALS (sizeof fatal_signals / sizeof *fatal_signals)
static struct sigaction before_crash[FATAL_SIGNALS];

int baton_terminal_keys_begin(int descriptor) {
  struct termios wanted;
  if (!terminal.is_changed) {
    if (tcgetattr(descriptor, &terminal.before) != 0) return -1;
    terminal.descriptor = descriptor;
  }
  wanted = terminal.before;
  wanted.c_lflag &= ~(tcflag_t)(ICANON | ECHO | ECHONL);
  wanted.c_cc[VMIN] = 1;
  wanted.c_cc[VTIME] = 0;
  terminal.is_changed = 1;
  return tcsetattr(descriptor, TCSADRAIN, &wanted);
}

int baton_terminal_keys_end(int descriptor) {
  if (!terminal.is_changed) return 0;
  terminal.is_changed = 0;
  return tcsetattr(descriptor, TCSADRAIN, &terminal.before);
}

// Calls only functions that a signal handler may call.
static void on_crash(int number) {
  if (terminal.is_changed) {
    terminal.is_changed = 0;
    ssize_t ignored = write(STDOUT_FILENO, terminal.bytes, terminal.size);
    (void)ignored;
    tcsetattr(terminal.descriptor, TCSANOW, &terminal.before);
  }
  for (size_t i = 0; i < FATAL_SIGNALS; i++)
    if (fatal_signals[i] == number) sigaction(number, &before_crash[i], NULL);
  raise(number);
}

int baton_terminal_restore_on_crash(int descriptor, const char *bytes, size_t size) {
  terminal.descriptor = descriptor;
  terminal.bytes = bytes;
  terminal.size = size;
  for (size_t i = 0; i < FATAL_SIGNALS; i++) {
    struct sigaction action;
    memset(&action, 0, sizeof action);
    action.sa_handler = on_crash;
    action.sa_flags = SA_NODEFER;
    sigemptyset(&action.sa_mask);
    if (sigaction(fatal_signals[i], &action, &before_crash[i]) != 0) return -1;
  }
  return 0;
}
