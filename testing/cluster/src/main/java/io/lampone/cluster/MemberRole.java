package io.lampone.cluster;

import java.util.List;

/** Role of a process of the cluster; the order is that in which they are started. */
public enum MemberRole {
  ZOOKEEPER("zk", "org.apache.zookeeper.server.quorum.QuorumPeerMain", 128, List.of()),
  MASTER("master", "org.apache.hadoop.hbase.master.HMaster", 384, List.of("start")),
  REGION_SERVER("rs", "org.apache.hadoop.hbase.regionserver.HRegionServer", 768, List.of("start")),
  MANAGER("tm", "io.lampone.tm.TransactionManagerMain", 512, List.of()),
  VALIDATOR("v", "io.lampone.tm.TransactionManagerMain", 512, List.of());

  private final String prefix;
  private final String mainClass;
  private final int heapMegabytes;
  private final List<String> arguments;

  MemberRole(String prefix, String mainClass, int heapMegabytes, List<String> arguments) {
    this.prefix = prefix;
    this.mainClass = mainClass;
    this.heapMegabytes = heapMegabytes;
    this.arguments = arguments;
  }

  /** The name of the first one is this and {@code 1}. */
  public String prefix() {
    return prefix;
  }

  String mainClass() {
    return mainClass;
  }

  int heapMegabytes() {
    return heapMegabytes;
  }

  /** Returns the arguments of the main class before the name of its file, if it takes one. */
  List<String> arguments() {
    return arguments;
  }
}
