package io.lampone.benchmarks;

import io.lampone.benchmarks.report.Fields;
import java.time.Duration;

/** A kind of load. */
public sealed interface LoadPhase {

  /** Writes it as a line for the process that puts it on a server. */
  Fields command(Duration duration);

  /** For tables. */
  String title();

  /** For a program that reads the figures. */
  String key();

  /**
   * So many transactions under way all the time.
   *
   * @param underWay how many
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
   * So many transactions begun each second.
   *
   * @param perSecond how many
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
