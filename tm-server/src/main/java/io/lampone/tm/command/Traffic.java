package io.lampone.tm.command;

import com.fasterxml.jackson.core.JsonGenerator;
import java.io.IOException;

/**
 * Requests answered by this process.
 *
 * @param begins start timestamps
 * @param validations all of them, whatever the outcome
 * @param conflicts validations that met a conflict
 * @param refusals validations that were refused: too old, or too much at a time
 */
public record Traffic(Count begins, Count validations, Count conflicts, Count refusals) {

  /**
   * One kind of answers.
   *
   * @param total since the process began
   * @param perSecond over the last minute, the last seconds most
   */
  public record Count(long total, double perSecond) {

    /** Both kinds together. */
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
    // Three decimals: one answer in a quarter of an hour is still to be seen.
    json.writeNumberField(name + "PerSecond", Math.round(count.perSecond() * 1_000) / 1_000.0);
  }
}
