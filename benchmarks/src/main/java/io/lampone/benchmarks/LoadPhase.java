package io.lampone.benchmarks;

import io.lampone.benchmarks.report.Fields;
import java.time.Duration;

/** Kind of load. */
public sealed interface LoadPhase {

  /** Writes it as a line for the process that puts it on a server. */
  Fields command(Duration duration);

  /** Returns the title for tables. */
  String title();

  /** Returns the key for programs. */
  String key();

  /**
   * Constant number of outstanding transactions.
   *
   * @param underWay the number
   */
  record Saturation(int underWay) implements LoadPhase {

    @Override
    public Fields command(Duration duration) {
      return LoadConversation.closed(underWay, duration);
    }

    @Override
    public String title() {
      return underWay + " under way";
    }

    @Override
    public String key() {
      return "underWay" + underWay;
    }
  }

  /**
   * Constant rate of begun transactions.
   *
   * @param perSecond transactions a second
   */
  record Rate(int perSecond) implements LoadPhase {

    @Override
    public Fields command(Duration duration) {
      return LoadConversation.open(perSecond, duration);
    }

    @Override
    public String title() {
      return perSecond + "/s";
    }

    @Override
    public String key() {
      return "rate" + perSecond;
    }
  }
}
