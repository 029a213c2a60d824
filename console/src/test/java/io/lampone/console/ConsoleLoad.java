package io.lampone.console;

import io.lampone.client.LamponeClient;
import io.lampone.client.TransactionOptions;
import io.lampone.embedded.EmbeddedHBaseConfig;
import io.lampone.embedded.EmbeddedLampone;
import io.lampone.protocol.ConflictLevel;
import io.lampone.protocol.time.SystemClock;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.io.Writer;
import java.lang.ProcessBuilder.Redirect;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.Random;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import org.apache.hadoop.hbase.TableName;
import org.apache.hadoop.hbase.client.ColumnFamilyDescriptorBuilder;
import org.apache.hadoop.hbase.client.Put;
import org.apache.hadoop.hbase.client.TableDescriptorBuilder;

/**
 * Measures what requests to the console cost the transactions of a cluster: {@code benchmarks/run
 * console [rounds] [seconds of a slice]}. In each round there is a slice without requests, one with
 * requests to the console, and one with as many to a server of constant bytes, which shows what the
 * sender and the transport cost. Console, server and sender are processes of their own, which run
 * all the time: no slice has the start of one in it.
 */
final class ConsoleLoad {

  private static final int REQUESTS_PER_SECOND = 1_000;
  private static final int SENDERS = 4;
  private static final int DEFAULT_ROUNDS = 12;
  private static final int DEFAULT_SECONDS = 10;
  private static final int KEYS = 10_000;
  private static final TableName TABLE = TableName.valueOf("accounts");
  private static final byte[] FAMILY = {'f'};
  private static final double P99 = 0.99;
  private static final double NANOS_PER_MILLI = 1e6;
  private static final long NANOS_OF_A_LOOK = 50_000_000;

  /** More than the head of an answer. */
  private static final int HEAD = 1_000;

  private ConsoleLoad() {}

  /** Runs a role: none measures, {@code constant} serves, {@code send} sends. */
  public static void main(String[] args) throws Exception {
    if (args.length > 0 && args[0].equals("constant")) {
      serveConstant();
    } else if (args.length > 0 && args[0].equals("send")) {
      send();
    } else {
      int rounds = args.length > 0 ? Integer.parseInt(args[0]) : DEFAULT_ROUNDS;
      int seconds = args.length > 1 ? Integer.parseInt(args[1]) : DEFAULT_SECONDS;
      measure(rounds, seconds);
    }
  }

  private static void measure(int rounds, int seconds) throws Exception {
    Path folder = Files.createTempDirectory("console-load");
    try (EmbeddedLampone cluster =
            EmbeddedLampone.start(EmbeddedHBaseConfig.builder(folder.resolve("data")).build());
        LamponeClient client = LamponeClient.connect(cluster.clientConfiguration())) {
      client
          .admin()
          .createTable(
              TableDescriptorBuilder.newBuilder(TABLE)
                  .setColumnFamily(ColumnFamilyDescriptorBuilder.of(FAMILY))
                  .build(),
              ConflictLevel.ROW,
              key(KEYS / 2));
      Path site = folder.resolve("hbase-site.xml");
      try (var out = Files.newOutputStream(site)) {
        cluster.clientConfiguration().writeXml(out);
      }
      Process console =
          java("io.lampone.cli.Lampone", "console", "--port", "0", "--config", site.toString());
      Process constant = java(ConsoleLoad.class.getName(), "constant");
      Process senders = java(ConsoleLoad.class.getName(), "send");
      try (Writer sender = senders.outputWriter(StandardCharsets.US_ASCII)) {
        int consolePort = port(console);
        int constantPort = port(constant);
        for (int port : new int[] {0, consolePort, constantPort}) {
          slice(client, seconds, sender, port);
        }
        List<double[]> p99 = new ArrayList<>();
        for (int round = 0; round < rounds; round++) {
          double[] millis = {
            slice(client, seconds, sender, 0),
            slice(client, seconds, sender, consolePort),
            slice(client, seconds, sender, constantPort),
          };
          if (!senders.isAlive()) {
            throw new IOException("the sender has ended");
          }
          p99.add(millis);
          System.err.printf(
              Locale.ROOT,
              "round %d: p99 %.3f ms without, %.3f ms console, %.3f ms constant%n",
              round,
              millis[0],
              millis[1],
              millis[2]);
        }
        System.out.printf(
            Locale.ROOT,
            "p99 / without requests: console %.3f, constant %.3f; console / constant %.3f%n",
            median(p99, 1, 0),
            median(p99, 2, 0),
            median(p99, 1, 2));
      } finally {
        console.destroy();
        constant.destroy();
        senders.destroy();
      }
    }
  }

  /**
   * Returns the p99 of transactions that write two rows of two regions, in milliseconds.
   *
   * @param port to which requests are sent meanwhile; 0 = none are
   */
  private static double slice(LamponeClient client, int seconds, Writer sender, int port)
      throws IOException {
    sender.write(port + "\n");
    sender.flush();
    Random random = new Random(1);
    List<Long> nanos = new ArrayList<>();
    long end = System.nanoTime() + seconds * 1_000_000_000L;
    for (long begun = System.nanoTime(); begun < end; begun = System.nanoTime()) {
      client.execute(
          TransactionOptions.DEFAULT,
          tx -> {
            tx.table(TABLE).put(put(random.nextInt(KEYS / 2)));
            tx.table(TABLE).put(put(KEYS / 2 + random.nextInt(KEYS / 2)));
          });
      nanos.add(System.nanoTime() - begun);
    }
    long[] sorted = nanos.stream().mapToLong(Long::longValue).sorted().toArray();
    return sorted[(int) (sorted.length * P99)] / NANOS_PER_MILLI;
  }

  private static double median(List<double[]> rounds, int of, int by) {
    double[] ratios = rounds.stream().mapToDouble(each -> each[of] / each[by]).sorted().toArray();
    return ratios[ratios.length / 2];
  }

  private static byte[] key(int number) {
    return String.format(Locale.ROOT, "%08d", number).getBytes(StandardCharsets.US_ASCII);
  }

  private static Put put(int number) {
    return new Put(key(number)).addColumn(FAMILY, FAMILY, FAMILY);
  }

  /** Starts a Java process; a server with the priority that {@code bin/lampone} gives a console. */
  private static Process java(String main, String... arguments) throws IOException {
    List<String> command = new ArrayList<>();
    if (!arguments[0].equals("send")) {
      command.addAll(List.of("nice", "-n", "10"));
    }
    command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    command.addAll(List.of("-Xmx128m", "-XX:+UseSerialGC"));
    command.addAll(List.of("-cp", System.getProperty("java.class.path"), main));
    command.addAll(Arrays.asList(arguments));
    return new ProcessBuilder(command).redirectError(Redirect.DISCARD).start();
  }

  /** Returns the number after the last colon of the first line that a process prints. */
  private static int port(Process process) throws IOException {
    String line =
        new BufferedReader(new InputStreamReader(process.getInputStream(), StandardCharsets.UTF_8))
            .readLine();
    if (line == null) {
      throw new IOException("the process has ended");
    }
    String last = line.substring(line.lastIndexOf(':') + 1);
    return Integer.parseInt(last.replace("/", ""));
  }

  private static void serveConstant() throws Exception {
    String content = "x".repeat(8 << 10);
    ConsoleServer server =
        new ConsoleServer(
            new InetSocketAddress(InetAddress.getLoopbackAddress(), 0),
            () -> content,
            Optional.empty(),
            new Logins((identity, secret) -> false, SystemClock.INSTANCE));
    System.out.println("serves:" + server.port());
    Thread.currentThread().join();
  }

  /** Sends to the port of the last line read. */
  private static void send() throws Exception {
    AtomicInteger port = new AtomicInteger();
    for (int i = 0; i < SENDERS; i++) {
      new Thread(() -> sendAll(port), "sender" + i).start();
    }
    BufferedReader lines =
        new BufferedReader(new InputStreamReader(System.in, StandardCharsets.US_ASCII));
    for (String line = lines.readLine(); line != null; line = lines.readLine()) {
      port.set(Integer.parseInt(line));
    }
    System.exit(0);
  }

  private static void sendAll(AtomicInteger wanted) {
    while (true) {
      int port = wanted.get();
      if (port == 0) {
        LockSupport.parkNanos(NANOS_OF_A_LOOK);
      } else {
        sendAll(port, wanted);
      }
    }
  }

  private static void sendAll(int port, AtomicInteger wanted) {
    byte[] request =
        "GET /api/overview HTTP/1.1\r\nHost: localhost\r\n\r\n".getBytes(StandardCharsets.US_ASCII);
    long pause = SENDERS * 1_000_000_000L / REQUESTS_PER_SECOND;
    try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), port)) {
      socket.setTcpNoDelay(true);
      InputStream in = socket.getInputStream();
      byte[] buffer = new byte[1 << 16];
      for (long due = System.nanoTime(); wanted.get() == port; due += pause) {
        socket.getOutputStream().write(request);
        read(in, buffer);
        LockSupport.parkNanos(due + pause - System.nanoTime());
      }
    } catch (IOException e) {
      System.exit(1); // the measurement ends
    }
  }

  /** Reads one answer. */
  private static void read(InputStream in, byte[] buffer) throws IOException {
    int read = 0;
    int end = -1;
    while (end < 0 || read < end) {
      int more = in.read(buffer, read, buffer.length - read);
      if (more < 0) {
        throw new IOException("closed");
      }
      read += more;
      if (end < 0) {
        String text = new String(buffer, 0, Math.min(read, HEAD), StandardCharsets.ISO_8859_1);
        int head = text.indexOf("\r\n\r\n");
        if (head >= 0) {
          String name = "content-length: ";
          int at = text.substring(0, head).toLowerCase(Locale.ROOT).indexOf(name) + name.length();
          int length = Integer.parseInt(text.substring(at, text.indexOf('\r', at)).strip());
          end = head + 4 + length;
        }
      }
    }
  }
}
