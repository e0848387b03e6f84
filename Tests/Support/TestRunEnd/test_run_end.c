// Whatever a run of the tests has started ends with it, also if the run crashes or is killed. Daemons have sessions of
// their own and outlive their parents, so no signal reaches them: a second process waits for the run's end, and kills
// all processes with the run's mark in their environment.
#define _GNU_SOURCE
#include <dirent.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

// NAME=PID/, of a run within a run NAME=PID/PID/.
#define NAME "BATON_TEST_RUN"
static char mark[128];

static int is_marked(const char *pid) {
  static char words[1 << 18];
  snprintf(words, sizeof words, "/proc/%s/environ", pid);
  int file = open(words, O_RDONLY | O_CLOEXEC);
  if (file < 0) return 0;
  ssize_t count = 0, more;
  while ((more = read(file, words + count, sizeof words - 1 - count)) > 0) count += more;
  close(file);
  words[count] = 0;
  for (char *word = words; word < words + count; word += strlen(word) + 1)
    if (!strncmp(word, mark, strlen(mark))) return 1;
  return 0;
}

// The number of processes that still have the mark; one killed while it starts another leaves that one for the next look.
static int kill_marked(void) {
  int count = 0;
  DIR *processes = opendir("/proc");
  for (struct dirent *entry; processes && (entry = readdir(processes));) {
    int pid = atoi(entry->d_name);
    if (pid > 0 && is_marked(entry->d_name)) count += kill(pid, SIGKILL) == 0;
  }
  if (processes) closedir(processes);
  return count;
}

__attribute__((constructor)) static void watch_this_run(void) {
  pid_t run = getpid();
  const char *outer = getenv(NAME);
  snprintf(mark, sizeof mark, NAME "=%.80s%d/", outer ? outer : "", run);
  // Not seen in the environment of this process and of its copy, which are as they were at the start.
  setenv(NAME, mark + strlen(NAME "="), 1);
  pid_t child = fork();
  if (child) {
    if (child > 0) waitpid(child, NULL, 0);
    return;
  }
  // No child of the run, as tests count and reap theirs, and in a session of its own, which no ^C reaches.
  struct pollfd end = {.fd = (int)syscall(SYS_pidfd_open, run, 0), .events = POLLIN};
  setsid();
  if (end.fd < 0 || fork()) _exit(0);
  prctl(PR_SET_NAME, "test-run-end");
  dup2(end.fd, 3);
  end.fd = 3;
  syscall(SYS_close_range, 4U, ~0U, 0U);
  while (poll(&end, 1, -1) < 0) {
  }
  for (int looks = 0; looks < 500 && kill_marked(); looks++) usleep(10000);
  _exit(0);
}
