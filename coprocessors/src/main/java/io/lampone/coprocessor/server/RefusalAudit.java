package io.lampone.coprocessor.server;

import io.lampone.protocol.request.Refusal;
import io.lampone.protocol.time.Clock;
import io.lampone.protocol.time.RareLine;
import java.net.InetAddress;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import org.apache.hadoop.hbase.ipc.RpcServer;
import org.apache.hbase.thirdparty.com.google.gson.JsonObject;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Audit of requests that showed a wrong proof, or met a coprocessor chain in which ours is not the
 * last: a JSON line each on the logger {@code lampone.audit}, with the same fields as the
 * transaction manager's, at most one a minute per user and code. HBase's authorizers log their own
 * denials. Thread-safe.
 */
public final class RefusalAudit {

  private static final Logger LOG = LoggerFactory.getLogger("lampone.audit");

  /** Maximum number of keys; beyond it the oldest one is forgotten and starts again. */
  private static final int MAX_KEYS = 1_000;

  /** Length to which external text is cut. */
  private static final int MAX_TEXT = 256;

  private record Key(String user, Refusal.Code code) {}

  private final Clock clock;

  /** Guarded by this. */
  private final Map<Key, RareLine> lines =
      new LinkedHashMap<>() {
        private static final long serialVersionUID = 1L;

        @Override
        protected boolean removeEldestEntry(Map.Entry<Key, RareLine> eldest) {
          return size() > MAX_KEYS;
        }
      };

  RefusalAudit(Clock clock) {
    this.clock = clock;
  }

  /**
   * Logs a refusal of the request that this thread executes, if it is to be audited.
   *
   * @param table the request's table
   */
  public void refused(Refusal refusal, String table) {
    if (refusal.code() == Refusal.Code.UNPROVED || refusal.code() == Refusal.Code.MISPLACED) {
      line(
              RpcServer.getRequestUserName().orElse(""),
              RpcServer.getRemoteAddress().map(InetAddress::getHostAddress).orElse(""),
              refusal,
              table)
          .ifPresent(line -> LOG.info("{}", line));
    }
  }

  /** Returns the line, if one is due. */
  Optional<String> line(String user, String from, Refusal refusal, String table) {
    RareLine rare;
    synchronized (this) {
      Key key = new Key(cut(user), refusal.code());
      rare = lines.computeIfAbsent(key, each -> new RareLine(clock));
    }
    OptionalLong times = rare.happened();
    if (times.isEmpty()) {
      return Optional.empty();
    }
    JsonObject line = new JsonObject();
    line.addProperty("time", Instant.ofEpochMilli(clock.wallMillis()).toString());
    line.addProperty("principal", cut(user));
    line.addProperty("from", from);
    line.addProperty("what", "request");
    line.addProperty("on", table);
    line.addProperty("outcome", refusal.code() + ": " + cut(refusal.detail()));
    line.addProperty("leftOut", times.getAsLong() - 1);
    return Optional.of(line.toString());
  }

  private static String cut(String text) {
    return text.length() <= MAX_TEXT ? text : text.substring(0, MAX_TEXT);
  }
}
