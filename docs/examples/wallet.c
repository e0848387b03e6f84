#include <baton.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const char *const migrations[] = {
    "CREATE TABLE payments ("
    "id INTEGER PRIMARY KEY AUTOINCREMENT, epoch INTEGER NOT NULL, number INTEGER NOT NULL, "
    "hash BLOB NOT NULL DEFAULT (randomblob(32)), "
    "settled_ms INTEGER NOT NULL DEFAULT (CAST(round((julianday('now') - 2440587.5) * 86400000) AS INTEGER)))"};

/* The node's state is a list of payments. */
static struct {
  uint64_t lease; /* 0 for none */
  int64_t number;
} node;

static void tell(baton *coordinator, int32_t kind, uint64_t id, int32_t code) {
  baton_message event = {.kind = kind, .id = id, .code = code};
  if (baton_event(coordinator, &event) != BATON_OK) printf("not told: %s\n", baton_error(coordinator));
}

static int32_t found(const baton_value *columns, size_t count, void *context) {
  (void)context;
  if (count == 1) node.number = columns[0].integer;
  return BATON_OK;
}

static int32_t read_state(baton_access *access, void *context) {
  return baton_sql(access, "SELECT coalesce(max(number), 0) FROM payments", NULL, 0, found, context);
}

static int32_t name_settled(const baton_value *columns, size_t count, void *access) {
  return count == 2 ? baton_found(access, columns[0].bytes, (uint64_t)columns[1].integer, NULL) : BATON_CALLERS;
}

/* What the app has received, asked by the extension. */
static int32_t settled(baton_access *access, const uint8_t *hash, int64_t since, void *context) {
  (void)context;
  baton_value values[] = {
      {.type = hash ? BATON_BLOB : BATON_NULL, .bytes = hash, .length = hash ? 32 : 0},
      {.type = BATON_INTEGER, .integer = since / 1000000}};
  return baton_sql(
      access, "SELECT hash, number FROM payments WHERE hash = ?1 OR (?1 IS NULL AND settled_ms >= ?2) ORDER BY id", values, 2,
      name_settled, access);
}

/* When this returns the socket is closed. */
static void cut_off(uint64_t lease, void *context) {
  (void)context;
  if (node.lease != lease) return;
  printf("closed %llu\n", (unsigned long long)lease);
  node.lease = 0;
}

static int32_t insert(baton_access *access, void *context) {
  (void)context;
  baton_value values[] = {
      {.type = BATON_INTEGER, .integer = (int64_t)node.lease}, {.type = BATON_INTEGER, .integer = node.number + 1}};
  return baton_sql(access, "INSERT INTO payments (epoch, number) VALUES (?, ?)", values, 2, NULL, NULL);
}

/* A payment comes. It is committed before it is reported. */
static void receive(baton *coordinator) {
  if (node.lease == 0) {
    puts("no lease");
    return;
  }
  switch (baton_write(coordinator, node.lease, "payment", insert, NULL)) {
  case BATON_OK: printf("paid %lld\n", (long long)++node.number); break;
  case BATON_FENCED: printf("fenced %llu\n", (unsigned long long)node.lease); break; /* cut_off follows at once */
  default: printf("not paid: %s\n", baton_error(coordinator));
  }
}

/* What the coordinator asks of node and phone. */
static void carry_out(baton *coordinator, const baton_message *directive) {
  unsigned long long id = directive->id;
  switch (directive->kind) {
  case BATON_START_NODE:
    node.lease = directive->id;
    tell(coordinator, BATON_EVENT_CONNECTING, node.lease, 0);
    tell(coordinator, BATON_EVENT_ESTABLISHED, node.lease, 0);
    break;
  case BATON_STOP_NODE:
    cut_off(directive->id, NULL);
    tell(coordinator, BATON_EVENT_STOPPED, directive->id, 0);
    break;
  case BATON_SHOW:
    if (directive->code == BATON_STATUS_CONNECTED) printf("connected %llu\n", (unsigned long long)directive->number);
    if (directive->code == BATON_STATUS_WAITING_FOR_EXTENSION || directive->code == BATON_STATUS_WAITING_FOR_PROCESS)
      puts("waiting");
    break;
  case BATON_BEGIN_TASK: printf("begin %llu\n", id); break;
  case BATON_END_TASK: printf("end %llu\n", id); break;
  case BATON_DELIVER:
    if (directive->code == BATON_RESULT_RECEIVED)
      printf("delivered %llu: %llu msat\n", id, (unsigned long long)directive->number);
    else
      printf("delivered %llu\n", id);
    break;
  case BATON_FINISHED: printf("finished %llu\n", id); break;
  case BATON_ENDED: puts("ended"); break;
  default: break;
  }
}

/* What UIKit and UserNotifications call on a phone comes here as lines. */
static void take_line(baton *coordinator) {
  static uint64_t pushes;
  char line[64];
  if (!fgets(line, sizeof line, stdin)) {
    baton_close(coordinator);
    exit(0);
  }
  line[strcspn(line, "\n")] = 0;
  if (!strcmp(line, "front")) baton_want(coordinator);
  else if (!strcmp(line, "home")) baton_unwant(coordinator);
  else if (!strcmp(line, "push")) tell(coordinator, BATON_EVENT_PUSH, ++pushes, BATON_REASON_INCOMING_PAYMENT);
  else if (!strcmp(line, "push for a payment that does not come")) {
    uint8_t hash[32] = {7};
    baton_message push = {
        .kind = BATON_EVENT_PUSH, .id = ++pushes, .code = BATON_REASON_INCOMING_PAYMENT, .bytes = hash, .length = sizeof hash};
    baton_event(coordinator, &push);
  } else if (!strcmp(line, "pay")) receive(coordinator);
  else if (!strcmp(line, "freeze")) {
    raise(SIGSTOP);
    receive(coordinator);
  } else puts("unknown");
}

int main(int count, char **arguments) {
  if (count != 3) return 64;
  setvbuf(stdout, NULL, _IOLBF, 0);
  setvbuf(stdin, NULL, _IONBF, 0);
  baton_options options = {
      .role = strcmp(arguments[1], "app") ? BATON_EXTENSION : BATON_APP,
      .directory = arguments[2],
      .migrations = migrations,
      .migration_count = 1,
      .read_state = read_state,
      .settled = settled,
      .cut_off = cut_off};
  baton *coordinator;
  if (baton_open(&options, &coordinator) != BATON_OK) {
    printf("not opened: %s\n", baton_error(coordinator));
    return 1;
  }
  struct pollfd files[] = {{.fd = 0, .events = POLLIN}, {.fd = baton_listen(coordinator), .events = POLLIN}};
  puts("open");
  for (;;) {
    baton_message directive;
    while (baton_next(coordinator, &directive) == BATON_OK) carry_out(coordinator, &directive);
    int64_t wait = baton_wait(coordinator);
    poll(files, 2, wait < 0 ? -1 : (int)((wait + 999999) / 1000000));
    if (files[0].revents) take_line(coordinator);
    if (files[1].revents) baton_presence_arrived(coordinator);
    baton_wake(coordinator);
  }
}
