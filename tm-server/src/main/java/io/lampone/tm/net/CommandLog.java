package io.lampone.tm.net;

import io.lampone.protocol.time.Clock;
import java.util.HashMap;
import java.util.Map;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Log of commands, rate-limited separately for each known command, so that frequent status queries
 * do not hide which principal has drained a server; unknown commands share one limit. Event loop
 * only.
 */
public final class CommandLog {

  private static final Logger LOG = LoggerFactory.getLogger(CommandLog.class);

  private static final int LONGEST_NAME = 64;

  private final Clock clock;
  private final Map<String, LogBudget> budgets = new HashMap<>();

  public CommandLog(Clock clock) {
    this.clock = clock;
  }

  /** Logs a command; {@code known} tells whether it exists. */
  public void command(boolean known, String name, String principal) {
    LogBudget budget = budgets.computeIfAbsent(known ? name : "", each -> new LogBudget(clock));
    if (budget.allows()) {
      LOG.info(
          "command, name={} principal={} notLogged={}",
          harmless(name),
          harmless(principal),
          budget.takeSuppressed());
    }
  }

  /** Sanitizes a client's text, which must not look like a line of the log. */
  static String harmless(String text) {
    String begin = text.length() <= LONGEST_NAME ? text : text.substring(0, LONGEST_NAME) + "...";
    return begin.replaceAll("[^\\x20-\\x7e]", "?");
  }
}
