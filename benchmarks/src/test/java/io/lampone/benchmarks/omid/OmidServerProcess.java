package io.lampone.benchmarks.omid;

import io.lampone.benchmarks.ChildProtocol;
import io.lampone.benchmarks.report.Fields;
import java.io.IOException;
import java.net.InetAddress;
import java.net.NetworkInterface;
import java.net.ServerSocket;
import org.apache.omid.tso.InMemoryCommitTableStorageModule;
import org.apache.omid.tso.InMemoryTimestampStorageModule;
import org.apache.omid.tso.TSOServer;
import org.apache.omid.tso.TSOServerConfig;

/** Omid's timestamp oracle. Argument: the name of an {@link OmidSetup}. */
public final class OmidServerProcess {

  /**
   * Places in the conflict map: as many as Lampone's conflict table has by default, instead of
   * Omid's 100 million (1.6 GB), which would miss the caches of the processor more often.
   */
  static final int CONFLICT_MAP_SIZE = 1 << 22;

  private OmidServerProcess() {}

  /** Runs until the parent has ended the conversation. */
  public static void main(String[] arguments) throws Exception {
    OmidSetup setup = OmidSetup.valueOf(arguments[0]);
    TSOServerConfig config = new TSOServerConfig();
    config.setPort(freePort());
    config.setNetworkIfaceName(loopbackName());
    config.setConflictMapSize(CONFLICT_MAP_SIZE);
    config.setBatchPersistTimeoutInMs(setup.batchTimeoutMillis());
    config.setLowLatency(setup.lowLatency());
    config.setWaitStrategy(setup.waitStrategy());
    config.setTimestampStoreModule(new InMemoryTimestampStorageModule());
    config.setCommitTableStoreModule(new InMemoryCommitTableStorageModule());
    TSOServer server = TSOServer.getInitializedTsoServer(config);
    server.startAsync().awaitRunning();
    new ChildProtocol(System.in, System.out)
        .holdSilently(Fields.of("ready").with("port", config.getPort()));
    Runtime.getRuntime().halt(0);
  }

  /** Returns a free port: Omid does not support port 0. */
  static int freePort() throws IOException {
    try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      return socket.getLocalPort();
    }
  }

  static String loopbackName() throws IOException {
    return NetworkInterface.networkInterfaces()
        .filter(OmidServerProcess::isLoopback)
        .findFirst()
        .orElseThrow(() -> new IOException("no loopback interface"))
        .getName();
  }

  private static boolean isLoopback(NetworkInterface candidate) {
    try {
      return candidate.isLoopback();
    } catch (IOException e) {
      return false;
    }
  }
}
