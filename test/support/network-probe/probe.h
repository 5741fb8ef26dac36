// The job's uses of its network, for tests. Every command prints its label and JSON in a line.
#ifndef NETWORK_PROBE_H
#define NETWORK_PROBE_H

#include <errno.h>
#include <netinet/in.h>
#include <stdbool.h>
#include <stddef.h>
#include <sys/socket.h>

// Given after label, command, address and port, as --name or --name=value.
struct options {
  struct sockaddr_storage to;
  socklen_t size;
  int count;      // of connections or datagrams
  int ms;         // time limit
  int processes;  // number of processes at once, each with `count`
  int protocol;   // IANA number, instead of the usual one
  int priority;   // SO_PRIORITY
  int bytes;      // bytes of a datagram
  int segment;    // UDP: segment size into which the kernel cuts it
  int again;      // TCP: tries again after so many ms; 0: waits
  const char *device;
  bool raw;             // system calls without a C library
  bool source_ports;    // chooses the source port of each connection
  bool routing_header;  // IPv6 routing header
  bool fast_open;       // data in the SYN
  bool abandon;         // closed at once, half open
  bool connected;       // UDP: one connected socket each
  bool many;            // UDP: all with one sendmmsg
  bool one_flow;        // UDP: all to one port
};

// The commands. options.to has the address and port of those that take one.
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

// Prints one line.
extern const char *label;
void print(const char *format, ...) __attribute__((format(printf, 1, 2)));
// The name of an error, such as EHOSTUNREACH.
const char *error_name(int error);

// The job's own address towards a remote one; empty: none.
void own_address(const char *remote, char *text, socklen_t size);
// Makes a socket as the options say; -1 with errno.
int open_socket(const struct options *options, int type, int index);
int connect_socket(const struct options *options, int fd);
// The address with a later port.
struct sockaddr_storage next_port(const struct options *options, int index);
long now_ms(void);
// Waits; returns the socket's errno, or ETIMEDOUT.
int wait_for(int fd, short events, int ms);

#endif
