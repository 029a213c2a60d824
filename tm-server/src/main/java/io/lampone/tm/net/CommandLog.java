package io.lampone.tm.net;

import io.lampone.protocol.time.Clock;
import java.util.HashMap;
import java.util.Map;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Log of commands: so many lines a minute for each that exists, so that frequent queries of the
 * status do not hide who has drained a server, and as many for all others together. Event loop
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

  /** A command has come; {@code known} says whether there is such a one. */
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
