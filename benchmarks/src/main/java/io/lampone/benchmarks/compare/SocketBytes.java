package io.lampone.benchmarks.compare;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The kernel's byte counts of the TCP connections of some processes: payload in both directions,
 * acknowledged or not, without headers. Source is the command {@code ss} of iproute2; without it
 * there are no counts.
 *
 * @param sockets all sockets of this machine at a moment
 */
record SocketBytes(List<Socket> sockets) {

  private static final long PATIENCE_SECONDS = 10;

  private static final Pattern ENDS = Pattern.compile("\\S*:(\\d+)\\s+\\S*:(\\d+)\\s+users:");
  private static final Pattern OWNER = Pattern.compile("pid=(\\d+)");
  private static final Pattern SENT = Pattern.compile(" bytes_sent:(\\d+)");
  private static final Pattern RECEIVED = Pattern.compile(" bytes_received:(\\d+)");

  /** One end of a connection. */
  record Socket(int localPort, int peerPort, long pid, long bytes) {}

  SocketBytes {
    sockets = List.copyOf(sockets);
  }

  /** Takes the present counts; empty without the command. */
  static Optional<SocketBytes> now() throws InterruptedException {
    try {
      Process ss =
          new ProcessBuilder("ss", "-tinpOH", "state", "established")
              .redirectError(ProcessBuilder.Redirect.DISCARD)
              .start();
      String text = new String(ss.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
      if (!ss.waitFor(PATIENCE_SECONDS, TimeUnit.SECONDS) || ss.exitValue() != 0) {
        return Optional.empty();
      }
      return Optional.of(parse(text));
    } catch (IOException e) {
      return Optional.empty();
    }
  }

  /** Parses the output of the command, one socket a line. */
  static SocketBytes parse(String text) {
    List<Socket> sockets = new ArrayList<>();
    for (String line : text.split("\n", -1)) {
      Matcher ends = ENDS.matcher(line);
      Matcher owner = OWNER.matcher(line);
      if (ends.find() && owner.find()) {
        sockets.add(
            new Socket(
                Integer.parseInt(ends.group(1)),
                Integer.parseInt(ends.group(2)),
                Long.parseLong(owner.group(1)),
                number(SENT, line) + number(RECEIVED, line)));
      }
    }
    return new SocketBytes(sockets);
  }

  /**
   * Returns the bytes on the connections of these processes since then; a connection between two of
   * them counts once, and one that has been closed meanwhile does not.
   */
  long since(SocketBytes before, Set<Long> pids) {
    Map<Long, Long> earlier = before.byConnection(pids);
    long bytes = 0;
    for (Map.Entry<Long, Long> now : byConnection(pids).entrySet()) {
      bytes += Math.max(0, now.getValue() - earlier.getOrDefault(now.getKey(), 0L));
    }
    return bytes;
  }

  private Map<Long, Long> byConnection(Set<Long> pids) {
    Map<Long, Long> bytes = new HashMap<>();
    for (Socket socket : sockets) {
      if (pids.contains(socket.pid())) {
        bytes.merge(connection(socket), socket.bytes(), Math::max);
      }
    }
    return bytes;
  }

  /** Returns a key that is equal for both ends of a connection on one machine. */
  private static long connection(Socket socket) {
    long low = Math.min(socket.localPort(), socket.peerPort());
    long high = Math.max(socket.localPort(), socket.peerPort());
    return high << Short.SIZE | low;
  }

  private static long number(Pattern pattern, String line) {
    Matcher matcher = pattern.matcher(line);
    return matcher.find() ? Long.parseLong(matcher.group(1)) : 0;
  }
}
