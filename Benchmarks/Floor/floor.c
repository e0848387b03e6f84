// The floor: the same work in C with the same system calls and libraries, and nothing else.
// Each command prints one line of nanoseconds per round, or for `extension` the instants of one run.
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <fcntl.h>
#include <netinet/tcp.h>
#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/file.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

// The sizes on Baton's own wire: `init` of a wallet, `init` of the peer, channel_reestablish.
enum { WALLET_GREETING = 52, PEER_GREETING = 45, REESTABLISH = 117, BEAT = 128, PRESENCE = 26 };

static long long now(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return t.tv_sec * 1000000000LL + t.tv_nsec;
}

static void fail(const char *what) {
  perror(what);
  exit(74);
}

static void check(int isFine, const char *what) {
  if (!isFine) fail(what);
}

static char *in(const char *directory, const char *name) {
  char *path;
  check(asprintf(&path, "%s/%s", directory, name) >= 0, "asprintf");
  return path;
}

// MARK: The database

static void run(sqlite3 *db, const char *sql) {
  char *words = NULL;
  if (sqlite3_exec(db, sql, NULL, NULL, &words) == SQLITE_OK) return;
  fprintf(stderr, "floor: %s: %s\n", sql, words);
  exit(74);
}

static sqlite3 *openDatabase(const char *path) {
  sqlite3 *db;
  check(sqlite3_open(path, &db) == SQLITE_OK, path);
  run(db, "PRAGMA mmap_size = 0");
  run(db, "PRAGMA cache_size = -256");
  run(db, "PRAGMA temp_store = MEMORY");
  run(db, "PRAGMA synchronous = FULL");
  run(db, "PRAGMA journal_mode = WAL");
  return db;
}

static sqlite3_stmt *prepare(sqlite3 *db, const char *sql) {
  sqlite3_stmt *statement;
  if (sqlite3_prepare_v2(db, sql, -1, &statement, NULL) == SQLITE_OK) return statement;
  fprintf(stderr, "floor: %s: %s\n", sql, sqlite3_errmsg(db));
  exit(74);
}

static void step(sqlite3_stmt *statement) {
  int code;
  while ((code = sqlite3_step(statement)) == SQLITE_ROW) {}
  check(code == SQLITE_DONE, "step");
  sqlite3_reset(statement);
}

struct commit { sqlite3_stmt *begin, *insert, *end; };

// One durable row: the minimum of a claim or a node write.
static struct commit prepareCommit(sqlite3 *db) {
  run(db, "CREATE TABLE IF NOT EXISTS rows (id INTEGER PRIMARY KEY, a INTEGER, b INTEGER, words TEXT, at INTEGER)");
  return (struct commit){
    prepare(db, "BEGIN IMMEDIATE"),
    prepare(db, "INSERT INTO rows (a, b, words, at) VALUES (7, 1234567890123, 'channel revision 12', 99)"),
    prepare(db, "COMMIT")};
}

static void commit(struct commit c) {
  step(c.begin);
  step(c.insert);
  step(c.end);
}

// MARK: One process

// The descriptor is opened once; the file guards a directory, as a role lock does.
static void commits(const char *directory, int rounds, int withLock) {
  struct commit c = prepareCommit(openDatabase(in(directory, "floor.sqlite")));
  int lock = open(in(directory, "floor.lock"), O_RDWR | O_CREAT | O_CLOEXEC, 0600);
  check(lock >= 0, "lock");
  for (int i = 0; i < rounds; i++) {
    long long start = now();
    if (withLock) check(flock(lock, LOCK_EX | LOCK_NB) == 0, "flock");
    commit(c);
    if (withLock) check(flock(lock, LOCK_UN) == 0, "unlock");
    printf("%lld\n", now() - start);
  }
}

static void beats(const char *directory, int rounds) {
  char slot[BEAT] = "beat";
  int file = open(in(directory, "floor.beat"), O_RDWR | O_CREAT | O_CLOEXEC, 0600);
  check(file >= 0, "beat");
  for (int i = 0; i < rounds; i++) {
    long long start = now();
    check(pwrite(file, slot, sizeof slot, 512) == sizeof slot, "pwrite");
    printf("%lld\n", now() - start);
  }
}

// Waits in an event loop, if there is one: a daemon has other descriptors as well.
static void receive(int socket, int loop, char *packet) {
  struct epoll_event event;
  if (loop >= 0) check(epoll_wait(loop, &event, 1, -1) == 1, "epoll_wait");
  ssize_t count = recv(socket, packet, PRESENCE, 0);
  if (count == 0) _exit(0);
  check(count == PRESENCE, "recv");
}

static int loopFor(int socket) {
  int loop = epoll_create1(EPOLL_CLOEXEC);
  struct epoll_event event = {.events = EPOLLIN};
  check(loop >= 0 && epoll_ctl(loop, EPOLL_CTL_ADD, socket, &event) == 0, "epoll");
  return loop;
}

static void presence(int rounds, int withLoop) {
  int ends[2];
  char packet[PRESENCE] = "presence";
  check(socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends) == 0, "socketpair");
  pid_t child = fork();
  check(child >= 0, "fork");
  if (child == 0) {
    close(ends[0]);
    int loop = withLoop ? loopFor(ends[1]) : -1;
    for (;;) {
      receive(ends[1], loop, packet);
      check(send(ends[1], packet, sizeof packet, 0) == sizeof packet, "send");
    }
  }
  close(ends[1]);
  int loop = withLoop ? loopFor(ends[0]) : -1;
  for (int i = 0; i < rounds; i++) {
    long long start = now();
    check(send(ends[0], packet, sizeof packet, 0) == sizeof packet, "send");
    receive(ends[0], loop, packet);
    printf("%lld\n", now() - start);
  }
  close(ends[0]);
  waitpid(child, NULL, 0);
}

// MARK: The extension and its peer

static void sendFrame(int socket, size_t size) {
  char bytes[256] = {0};
  bytes[1] = (char)size;
  check(send(socket, bytes, size + 2, MSG_NOSIGNAL) == (ssize_t)(size + 2), "send");
}

static void receiveFrame(int socket, size_t size) {
  char bytes[256];
  size_t have = 0;
  while (have < size + 2) {
    ssize_t count = recv(socket, bytes + have, size + 2 - have, 0);
    check(count > 0, "recv");
    have += (size_t)count;
  }
}

// Stores the newest epoch before it answers, and the state afterwards, as a fencing peer must.
static void peer(const char *directory) {
  struct commit c = prepareCommit(openDatabase(in(directory, "floor-peer.sqlite")));
  struct sockaddr_in address = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
  socklen_t length = sizeof address;
  int listener = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  check(bind(listener, (struct sockaddr *)&address, length) == 0, "bind");
  check(listen(listener, 64) == 0, "listen");
  check(getsockname(listener, (struct sockaddr *)&address, &length) == 0, "getsockname");
  printf("%d\n", ntohs(address.sin_port));
  fflush(stdout);
  for (;;) {
    int wallet = accept4(listener, NULL, NULL, SOCK_CLOEXEC);
    check(wallet >= 0, "accept");
    check(setsockopt(wallet, IPPROTO_TCP, TCP_NODELAY, &(int){1}, sizeof(int)) == 0, "nodelay");
    receiveFrame(wallet, WALLET_GREETING - 2);
    commit(c);
    sendFrame(wallet, PEER_GREETING - 2);
    sendFrame(wallet, REESTABLISH - 2);
    receiveFrame(wallet, REESTABLISH - 2);
    commit(c);
    char rest;
    while (recv(wallet, &rest, 1, 0) > 0) {}
    close(wallet);
  }
}

static void extension(const char *directory, int port) {
  long long started = now();
  int lock = open(in(directory, "floor.lock"), O_RDWR | O_CREAT | O_CLOEXEC, 0600);
  int beat = open(in(directory, "floor.beat"), O_RDWR | O_CREAT | O_CLOEXEC, 0600);
  check(lock >= 0 && beat >= 0, "open");
  sqlite3 *db = openDatabase(in(directory, "floor-container.sqlite"));
  struct commit c = prepareCommit(db);
  sqlite3_stmt *newest = prepare(db, "SELECT id, a, b FROM rows ORDER BY id DESC LIMIT 1");
  check(flock(lock, LOCK_EX | LOCK_NB) == 0, "flock");
  step(c.begin);
  step(newest);
  step(c.insert);
  step(c.end);
  long long claimed = now();
  char slot[BEAT] = "beat";
  check(pwrite(beat, slot, sizeof slot, 512) == sizeof slot, "pwrite");

  struct sockaddr_in address = {
    .sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK), .sin_port = htons((unsigned short)port)};
  int wire = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  check(connect(wire, (struct sockaddr *)&address, sizeof address) == 0, "connect");
  check(setsockopt(wire, IPPROTO_TCP, TCP_NODELAY, &(int){1}, sizeof(int)) == 0, "nodelay");
  sendFrame(wire, WALLET_GREETING - 2);
  receiveFrame(wire, PEER_GREETING - 2);
  step(newest);
  sendFrame(wire, REESTABLISH - 2);
  receiveFrame(wire, REESTABLISH - 2);
  long long connected = now();

  long peak = 0;
  char line[256];
  FILE *status = fopen("/proc/self/status", "r");
  while (status && fgets(line, sizeof line, status)) sscanf(line, "VmHWM: %ld", &peak);
  printf("%lld %lld %lld %ld\n", started, claimed, connected, peak);
}

int main(int count, char **words) {
  const char *command = count > 1 ? words[1] : "";
  if (count == 4 && strcmp(command, "commit") == 0) commits(words[2], atoi(words[3]), 0);
  else if (count == 4 && strcmp(command, "lock-commit") == 0) commits(words[2], atoi(words[3]), 1);
  else if (count == 4 && strcmp(command, "beat") == 0) beats(words[2], atoi(words[3]));
  else if (count == 3 && strcmp(command, "presence") == 0) presence(atoi(words[2]), 0);
  else if (count == 3 && strcmp(command, "presence-loop") == 0) presence(atoi(words[2]), 1);
  else if (count == 3 && strcmp(command, "peer") == 0) peer(words[2]);
  else if (count == 4 && strcmp(command, "extension") == 0) extension(words[2], atoi(words[3]));
  else {
    fputs("usage: floor commit|lock-commit|beat DIR ROUNDS, presence|presence-loop ROUNDS, peer DIR, extension DIR PORT\n", stderr);
    return 64;
  }
  return 0;
}
