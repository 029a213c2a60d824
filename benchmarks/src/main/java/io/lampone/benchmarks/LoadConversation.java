package io.lampone.benchmarks;

import io.lampone.benchmarks.report.Fields;
import io.lampone.protocol.time.SystemClock;
import java.time.Duration;

/**
 * Load generator process for a transaction manager. Commands: {@code closed underWay=N millis=N}
 * and {@code open perSecond=N millis=N}; each is answered with a {@link TransactionLoadResult}.
 */
public final class LoadConversation {

  private LoadConversation() {}

  /** Answers on the standard streams until the parent has ended the conversation. */
  public static void hold(Transactions transactions) throws Exception {
    new ChildProtocol(System.in, System.out)
        .hold(Fields.of("ready"), line -> answer(transactions, line).encode());
  }

  /** Returns the request for load that waits for answers. */
  static Fields closed(int underWay, Duration duration) {
    return Fields.of("closed").with("underWay", underWay).with("millis", duration.toMillis());
  }

  /** Returns the request for load that does not wait. */
  static Fields open(long perSecond, Duration duration) {
    return Fields.of("open").with("perSecond", perSecond).with("millis", duration.toMillis());
  }

  private static TransactionLoadResult answer(Transactions transactions, Fields line)
      throws Exception {
    TransactionLoad load = new TransactionLoad(transactions, SystemClock.INSTANCE);
    Duration duration = Duration.ofMillis(line.number("millis"));
    return switch (line.word()) {
      case "closed" -> load.closed(Math.toIntExact(line.number("underWay")), duration);
      case "open" -> load.open(line.number("perSecond"), duration);
      default -> throw new IllegalArgumentException("unknown kind of load, line=" + line);
    };
  }
}
