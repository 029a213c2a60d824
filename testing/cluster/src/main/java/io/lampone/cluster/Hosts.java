package io.lampone.cluster;

import java.util.List;

/** Addresses of a cluster's members, and how their processes are started there. */
public interface Hosts {

  /** Default address of all members. */
  String LOOPBACK = "127.0.0.1";

  /** The address on which a member listens. */
  String address(String member);

  /**
   * Returns the prefix of a member's command: the prefix has to replace itself by the command
   * ({@code exec}), so that the process that was started is the member.
   */
  List<String> prefix(String member);

  /** All on 127.0.0.1. */
  static Hosts loopback() {
    return new Hosts() {
      @Override
      public String address(String member) {
        return LOOPBACK;
      }

      @Override
      public List<String> prefix(String member) {
        return List.of();
      }
    };
  }
}
