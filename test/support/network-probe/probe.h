// What a job does with its network, for tests. Every command prints a line: its label and JSON.
#ifndef NETWORK_PROBE_H
#define NETWORK_PROBE_H

#include <errno.h>
#include <netinet/in.h>
#include <stdbool.h>
#include <stddef.h>
#include <sys/socket.h>

// Told after label, command, address and port, as --name or --name=value.
struct options {
  struct sockaddr_storage to;
  socklen_t size;
  int count;      // connections, or datagrams
  int ms;         // how long it may take
  int processes;  // so many at once, each with its count
  int protocol;   // of IANA, where it is another than usual
  int priority;   // SO_PRIORITY
  int bytes;      // of a datagram
  int segment;    // UDP: bytes that the kernel cuts it into
  int again;      // TCP: tries anew after so many ms; 0: waits
  const char *device;
  bool raw;             // system calls without a C library
  bool source_ports;    // each connection from a port of its own choice
  bool routing_header;  // of IPv6
  bool fast_open;       // data in the SYN
  bool abandon;         // closed at once, half open
  bool connected;       // UDP: a connected socket each
  bool many;            // UDP: all by one sendmmsg
  bool one_flow;        // UDP: all to the same port
};

// The commands. Address and port are what options.to holds, where they take one.
void tcp_burst(const struct options *options);
void udp_burst(const struct options *options);
void reach_tcp(const struct options *options);
void reach_udp(const struct options *options);
void reach_abstract(const char *name);
void pour(const struct options *options, int type);
void own_servers(void);
void rights(void);
void serve(int port);
void bridge_call(const char *method, const char *params);

// One line.
extern const char *label;
void print(const char *format, ...) __attribute__((format(printf, 1, 2)));
// The name of an error, such as EHOSTUNREACH.
const char *error_name(int error);

// The address that the job has for a remote one; empty: none.
void own_address(const char *remote, char *text, socklen_t size);
// A socket with what the options ask for; -1 with errno.
int open_socket(const struct options *options, int type, int index);
int connect_socket(const struct options *options, int fd);
// To a port further on.
struct sockaddr_storage next_port(const struct options *options, int index);
long now_ms(void);
// Waits; errno of the socket, or ETIMEDOUT.
int wait_for(int fd, short events, int ms);

#endif
