package io.lampone.tm.command;

import com.fasterxml.jackson.core.JsonGenerator;
import java.io.IOException;

/**
 * Requests answered by this process.
 *
 * @param begins start timestamps
 * @param validations all validations, whatever their outcome
 * @param conflicts validations with a conflict
 * @param refusals validations refused as too old or because of overload
 */
public record Traffic(Count begins, Count validations, Count conflicts, Count refusals) {

  /**
   * Number of answers of a kind.
   *
   * @param total since the process began
   * @param perSecond weighted average of the last minute, with most weight on the last seconds
   */
  public record Count(long total, double perSecond) {

    /** Returns the sum. */
    public Count plus(Count other) {
      return new Count(total + other.total, perSecond + other.perSecond);
    }
  }

  void writeTo(JsonGenerator json) throws IOException {
    write(json, "begins", begins);
    write(json, "validations", validations);
    write(json, "conflicts", conflicts);
    write(json, "refusals", refusals);
  }

  private static void write(JsonGenerator json, String name, Count count) throws IOException {
    json.writeNumberField(name, count.total());
    // Three decimals show even one answer in a quarter of an hour.
    json.writeNumberField(name + "PerSecond", Math.round(count.perSecond() * 1_000) / 1_000.0);
  }
}
