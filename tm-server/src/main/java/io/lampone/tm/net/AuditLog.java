package io.lampone.tm.net;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonGenerator;
import io.lampone.protocol.time.Clock;
import java.io.IOException;
import java.io.StringWriter;
import java.io.UncheckedIOException;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Pattern;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Logs administrative actions and refusals, a line of JSON each, on the logger {@code
 * lampone.audit}: time, principal, from, what, on, outcome, and the number of similar lines
 * suppressed before. Limited to ten lines a minute for each principal and action; principals
 * without a proof share ten, because a client may claim any number of names. Event loop only.
 */
public final class AuditLog {

  private static final Logger LOG = LoggerFactory.getLogger("lampone.audit");

  private static final Pattern PROOF = Pattern.compile("proof=\\S+");
  private static final JsonFactory FACTORY = new JsonFactory();

  /** Maximum number of budgets; beyond it the oldest is dropped and starts again. */
  private static final int MAX_KEYS = 1_000;

  /** Maximum length of external text, in characters. */
  private static final int MAX_TEXT = 256;

  /** Key of a budget; the principal is "" without a proof. */
  private record Key(String principal, String what) {}

  /**
   * The client of an action.
   *
   * @param isProved whether the client has proved its name
   */
  public record Source(String principal, boolean isProved, String address) {}

  private final Clock clock;
  private final Map<Key, LogBudget> budgets =
      new LinkedHashMap<>() {
        private static final long serialVersionUID = 1L;

        @Override
        protected boolean removeEldestEntry(Map.Entry<Key, LogBudget> eldest) {
          return size() > MAX_KEYS;
        }
      };

  public AuditLog(Clock clock) {
    this.clock = clock;
  }

  /**
   * Logs a line, unless too many similar ones were logged in this minute.
   *
   * @param who principal and address
   * @param what name of the command or other action, from a fixed set
   * @param on object of the action, as the client wrote it
   */
  public void happened(Source who, String what, String on, String outcome) {
    line(who, what, on, outcome).ifPresent(line -> LOG.info("{}", line));
  }

  /** Returns the line if the budget allows it. */
  Optional<String> line(Source who, String what, String on, String outcome) {
    Key key = new Key(who.isProved() ? cut(who.principal()) : "", what);
    LogBudget budget = budgets.computeIfAbsent(key, each -> new LogBudget(clock));
    return budget.allows()
        ? Optional.of(json(who, what, on, outcome, budget.takeSuppressed()))
        : Optional.empty();
  }

  private String json(Source who, String what, String on, String outcome, long leftOut) {
    StringWriter text = new StringWriter();
    try (JsonGenerator json = FACTORY.createGenerator(text)) {
      json.writeStartObject();
      json.writeStringField("time", Instant.ofEpochMilli(clock.wallMillis()).toString());
      json.writeStringField("principal", cut(who.principal()));
      json.writeStringField("from", who.address());
      json.writeStringField("what", what);
      json.writeStringField("on", withoutProof(on));
      json.writeStringField("outcome", withoutProof(outcome));
      json.writeNumberField("leftOut", leftOut);
      json.writeEndObject();
    } catch (IOException e) {
      throw new UncheckedIOException("a string can always be written", e);
    }
    return text.toString();
  }

  /** Returns a client's text without the proof that it has a token's password. */
  private static String withoutProof(String text) {
    return cut(PROOF.matcher(text).replaceAll("proof=..."));
  }

  private static String cut(String text) {
    return text.length() <= MAX_TEXT ? text : text.substring(0, MAX_TEXT);
  }
}
