package io.lampone.faultlab.fault;

import java.io.IOException;

/** The clients, as seen by faults that kill them. */
public interface Clients {

  /** Returns the number of clients at a time. */
  int count();

  /** The host of one of them. */
  String host(int index);

  /** SIGSTOP of one of them, or SIGCONT. */
  void pause(int index, boolean stop) throws IOException, InterruptedException;

  /** SIGKILL of one of them, and another one in its place. */
  void replace(int index) throws IOException, InterruptedException;
}
