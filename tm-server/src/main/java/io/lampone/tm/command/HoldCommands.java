package io.lampone.tm.command;

import com.fasterxml.jackson.core.JsonGenerator;
import io.lampone.protocol.tm.Hold;
import io.lampone.tm.command.Commands.Access;
import io.lampone.tm.core.ManagerNode;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;

/**
 * Holds on snapshots. Whoever reads may need them, so that clients may send these, not only
 * administrators:
 *
 * <pre>
 *   hold     owner=O name=N timestamp=T ttl=MILLIS
 *   renew    owner=O name=N ttl=MILLIS
 *   release  owner=O name=N
 *   holds
 * </pre>
 */
public final class HoldCommands {

  private static final String OWNER = "owner";
  private static final String NAME = "name";
  private static final String TIMESTAMP = "timestamp";
  private static final String TTL = "ttl";

  private final ManagerNode node;

  public HoldCommands(ManagerNode node) {
    this.node = node;
  }

  /** Adds these commands. */
  public void addTo(Commands commands) {
    commands
        .add("hold", Access.CLIENT, this::hold)
        .add("renew", Access.CLIENT, this::renew)
        .add("release", Access.CLIENT, this::release)
        .add("holds", Access.EVERYBODY, this::list);
  }

  private CompletableFuture<String> hold(String argument) {
    CommandArguments arguments =
        CommandArguments.parse(argument, List.of(OWNER, NAME, TIMESTAMP, TTL));
    long timestamp = arguments.timestamp(TIMESTAMP);
    Duration lifetime = arguments.millis(TTL);
    node.holds().hold(arguments.text(OWNER), arguments.text(NAME), timestamp, lifetime);
    return done(
        Json.object(
            json -> {
              json.writeNumberField(TIMESTAMP, timestamp);
              json.writeNumberField("remainingMillis", lifetime.toMillis());
              writeRetention(json);
            }));
  }

  private CompletableFuture<String> renew(String argument) {
    CommandArguments arguments = CommandArguments.parse(argument, List.of(OWNER, NAME, TTL));
    Duration lifetime = arguments.millis(TTL);
    node.holds().renew(arguments.text(OWNER), arguments.text(NAME), lifetime);
    return done(Json.object(json -> json.writeNumberField("remainingMillis", lifetime.toMillis())));
  }

  private CompletableFuture<String> release(String argument) {
    CommandArguments arguments = CommandArguments.parse(argument, List.of(OWNER, NAME));
    boolean released = node.holds().release(arguments.text(OWNER), arguments.text(NAME));
    return done(Json.object(json -> json.writeBooleanField("released", released)));
  }

  private CompletableFuture<String> list(String argument) {
    CommandArguments.parse(argument, List.of());
    List<Hold> holds = node.holds().list();
    long safePoint = node.safePoint();
    return done(
        Json.object(
            json -> {
              json.writeNumberField("safePoint", safePoint);
              writeRetention(json);
              json.writeArrayFieldStart("holds");
              for (Hold hold : holds) {
                json.writeStartObject();
                json.writeStringField(OWNER, hold.owner());
                json.writeStringField(NAME, hold.name());
                json.writeNumberField(TIMESTAMP, hold.timestamp());
                json.writeNumberField("remainingMillis", hold.remainingMillis());
                json.writeEndObject();
              }
              json.writeEndArray();
            }));
  }

  private void writeRetention(JsonGenerator json) throws IOException {
    json.writeNumberField("retentionMillis", node.retention().snapshots().toMillis());
    json.writeNumberField("longestHoldMillis", node.retention().longestHold().toMillis());
  }

  private static CompletableFuture<String> done(String text) {
    return CompletableFuture.completedFuture(text);
  }
}
