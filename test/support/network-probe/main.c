// probe LABEL COMMAND [ADDRESS PORT] [--OPTION[=VALUE]...]
#include "probe.h"

#include <arpa/inet.h>
#include <netdb.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

const char *label;

// Several processes print at once: each line is one write.
void print(const char *format, ...) {
  char line[4096];
  int start = snprintf(line, sizeof line, "%s ", label);
  va_list values;
  va_start(values, format);
  int length = vsnprintf(line + start, sizeof line - (size_t)start - 1, format, values);
  va_end(values);
  size_t end = (size_t)(start + length);
  if (end > sizeof line - 2) end = sizeof line - 2;
  line[end] = '\n';
  if (write(1, line, end + 1) < 0) _exit(3);
}

static int wrong(const char *what) {
  fprintf(stderr, "probe: %s: not understood\n", what);
  exit(2);
}

// gateway4 and gateway6 are the other end of the job's cable: the address next to the job's own.
static const char *address_of(const char *word) {
  static char text[INET6_ADDRSTRLEN];
  bool is_v6 = strcmp(word, "gateway6") == 0;
  if (!is_v6 && strcmp(word, "gateway4") != 0) return word;
  unsigned char address[16];
  int family = is_v6 ? AF_INET6 : AF_INET;
  own_address(is_v6 ? "2606:2800:220:2::1" : "93.184.217.1", text, sizeof text);
  if (inet_pton(family, text, address) != 1) wrong(word);
  address[is_v6 ? 15 : 3] ^= 1;
  inet_ntop(family, address, text, sizeof text);
  return text;
}

static void set_address(struct options *options, const char *word, const char *port) {
  const char *address = address_of(word);
  struct addrinfo hints = {.ai_flags = AI_NUMERICHOST | AI_NUMERICSERV, .ai_socktype = SOCK_STREAM};
  struct addrinfo *found;
  if (getaddrinfo(address, port, &hints, &found) != 0) wrong(address);
  memcpy(&options->to, found->ai_addr, found->ai_addrlen);
  options->size = found->ai_addrlen;
  freeaddrinfo(found);
}

static bool set_number(struct options *options, const char *name, const char *value) {
  const struct {
    const char *name;
    int *number;
  } numbers[] = {{"--count", &options->count},       {"--ms", &options->ms},
                 {"--processes", &options->processes}, {"--protocol", &options->protocol},
                 {"--priority", &options->priority}, {"--bytes", &options->bytes},
                 {"--again", &options->again},       {"--segment", &options->segment}};
  for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++) {
    size_t length = strlen(numbers[i].name);
    if (strncmp(name, numbers[i].name, length) != 0 || name[length] != '=') continue;
    *numbers[i].number = atoi(value);
    return true;
  }
  return false;
}

static bool set_flag(struct options *options, const char *name) {
  const struct {
    const char *name;
    bool *flag;
  } flags[] = {{"--raw", &options->raw},
               {"--source-ports", &options->source_ports},
               {"--routing-header", &options->routing_header},
               {"--fast-open", &options->fast_open},
               {"--abandon", &options->abandon},
               {"--connected", &options->connected},
               {"--many", &options->many},
               {"--one-flow", &options->one_flow}};
  for (size_t i = 0; i < sizeof flags / sizeof *flags; i++) {
    if (strcmp(name, flags[i].name) != 0) continue;
    return *flags[i].flag = true;
  }
  return false;
}

static void set_option(struct options *options, const char *text) {
  const char *value = strchr(text, '=');
  if (value && strncmp(text, "--device=", 9) == 0) options->device = value + 1;
  else if (!set_flag(options, text) && !(value && set_number(options, text, value + 1))) wrong(text);
}

static void run(const char *command, const struct options *options) {
  if (strcmp(command, "tcp") == 0) tcp_burst(options);
  else if (strcmp(command, "udp") == 0) udp_burst(options);
  else if (strcmp(command, "reach-tcp") == 0) reach_tcp(options);
  else if (strcmp(command, "reach-udp") == 0) reach_udp(options);
  else if (strcmp(command, "pour-tcp") == 0) pour(options, SOCK_STREAM);
  else if (strcmp(command, "pour-udp") == 0) pour(options, SOCK_DGRAM);
  else wrong(command);
}

static void run_processes(const char *command, const struct options *options) {
  for (int i = 1; i < options->processes; i++) {
    if (fork() != 0) continue;
    run(command, options);
    _exit(0);
  }
  run(command, options);
  while (wait(NULL) > 0) continue;
}

int main(int argc, char **argv) {
  struct options options = {.count = 1, .ms = 1000, .processes = 1, .bytes = 2};
  if (argc < 3) return wrong("too few words");
  label = argv[1];
  const char *command = argv[2];
  if (strcmp(command, "own") == 0) own_servers();
  else if (strcmp(command, "rights") == 0) rights();
  else if (argc == 4 && strcmp(command, "pause") == 0) usleep((unsigned)atoi(argv[3]) * 1000);
  else if (argc == 4 && strcmp(command, "abstract") == 0) reach_abstract(argv[3]);
  else if (argc == 4 && strcmp(command, "serve") == 0) serve(atoi(argv[3]));
  else if (argc == 5 && strcmp(command, "call") == 0) bridge_call(argv[3], argv[4]);
  else if (argc < 5) return wrong(command);
  else {
    set_address(&options, argv[3], argv[4]);
    for (int i = 5; i < argc; i++) set_option(&options, argv[i]);
    run_processes(command, &options);
  }
  return 0;
}
