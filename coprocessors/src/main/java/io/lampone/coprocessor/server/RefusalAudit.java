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
 * Requests that showed a wrong proof, or met a chain of coprocessors in which ours is not the last:
 * a line of JSON each on the logger {@code lampone.audit}, with the fields of the transaction
 * manager's. One a minute for each user and code. What HBase's authorizers deny they log
 * themselves. Thread-safe.
 */
public final class RefusalAudit {

  private static final Logger LOG = LoggerFactory.getLogger("lampone.audit");

  /** Beyond these, the one that has been known longest is forgotten, and begins anew. */
  private static final int MAX_KEYS = 1_000;

  /** Length to which text from outside is cut. */
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
   * Logs a refusal of the request that this thread carries out, if it is one of those.
   *
   * @param table whose request it is
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
