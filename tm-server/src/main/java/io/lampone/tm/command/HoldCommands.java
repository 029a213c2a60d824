package io.lampone.tm.command;

import com.fasterxml.jackson.core.JsonGenerator;
import io.lampone.protocol.tm.Hold;
import io.lampone.tm.command.Commands.Access;
import io.lampone.tm.command.Commands.Sender;
import io.lampone.tm.core.ManagerNode;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;

/**
 * Holds on snapshots. Any reader may need them, so clients may send these commands:
 *
 * <pre>
 *   hold     owner=O name=N timestamp=T ttl=MILLIS
 *   renew    owner=O name=N ttl=MILLIS
 *   release  owner=O name=N
 *   holds
 * </pre>
 *
 * <p>A hold belongs to the principal that has taken it. With authentication its owner is stored as
 * {@code principal/owner}; apart from that principal, only administrators see, renew or release it,
 * by the full name.
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

  /** Registers these commands. */
  public void addTo(Commands commands) {
    commands
        .add("hold", Access.CLIENT, this::hold)
        .add("renew", Access.CLIENT, this::renew)
        .add("release", Access.CLIENT, this::release)
        .add("holds", Access.CLIENT, this::list);
  }

  private CompletableFuture<String> hold(String argument, Sender sender) {
    CommandArguments arguments =
        CommandArguments.parse(argument, List.of(OWNER, NAME, TIMESTAMP, TTL));
    long timestamp = arguments.timestamp(TIMESTAMP);
    Duration lifetime = arguments.millis(TTL);
    node.holds()
        .hold(
            owner(arguments, sender),
            arguments.text(NAME),
            timestamp,
            lifetime,
            sender.mayAdminister());
    return done(
        Json.object(
            json -> {
              json.writeNumberField(TIMESTAMP, timestamp);
              json.writeNumberField("remainingMillis", lifetime.toMillis());
              writeRetention(json);
            }));
  }

  private CompletableFuture<String> renew(String argument, Sender sender) {
    CommandArguments arguments = CommandArguments.parse(argument, List.of(OWNER, NAME, TTL));
    Duration lifetime = arguments.millis(TTL);
    node.holds()
        .renew(owner(arguments, sender), arguments.text(NAME), lifetime, sender.mayAdminister());
    return done(Json.object(json -> json.writeNumberField("remainingMillis", lifetime.toMillis())));
  }

  private CompletableFuture<String> release(String argument, Sender sender) {
    CommandArguments arguments = CommandArguments.parse(argument, List.of(OWNER, NAME));
    boolean released = node.holds().release(owner(arguments, sender), arguments.text(NAME));
    return done(Json.object(json -> json.writeBooleanField("released", released)));
  }

  private CompletableFuture<String> list(String argument, Sender sender) {
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
                boolean own =
                    sender.proved()
                        ? hold.owner().startsWith(own(sender))
                        : !hold.owner().contains(Hold.OF_PRINCIPAL);
                if (!own && !sender.mayAdminister()) {
                  continue;
                }
                json.writeStartObject();
                json.writeStringField(
                    OWNER, own ? hold.owner().substring(own(sender).length()) : hold.owner());
                json.writeStringField(NAME, hold.name());
                json.writeNumberField(TIMESTAMP, hold.timestamp());
                json.writeNumberField("remainingMillis", hold.remainingMillis());
                json.writeEndObject();
              }
              json.writeEndArray();
            }));
  }

  /** Returns the prefix of the owners of the sender's holds; empty without authentication. */
  private static String own(Sender sender) {
    return sender.proved() ? sender.name() + Hold.OF_PRINCIPAL : "";
  }

  private static String owner(CommandArguments arguments, Sender sender) {
    String said = arguments.text(OWNER);
    boolean inFull = said.contains(Hold.OF_PRINCIPAL);
    if (inFull && !sender.mayAdminister() && !sender.proved()) {
      throw new IllegalArgumentException("needs a proof of its principal, owner=" + said);
    }
    return inFull && sender.mayAdminister() ? said : own(sender) + said;
  }

  private void writeRetention(JsonGenerator json) throws IOException {
    json.writeNumberField("retentionMillis", node.retention().snapshots().toMillis());
    json.writeNumberField("longestHoldMillis", node.retention().longestHold().toMillis());
  }

  private static CompletableFuture<String> done(String text) {
    return CompletableFuture.completedFuture(text);
  }
}
