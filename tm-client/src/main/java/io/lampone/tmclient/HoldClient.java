package io.lampone.tmclient;

import io.lampone.protocol.tm.Hold;
import io.lampone.protocol.tm.SnapshotHolds;
import io.lampone.protocol.tm.TransactionManagerException;
import io.lampone.protocol.tm.TransactionManagerException.Kind;
import io.lampone.tmclient.discovery.AddressSource;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The holds of one owner, by commands to the primary. Connects at the first command, because most
 * clients never send one.
 */
public final class HoldClient implements SnapshotHolds, AutoCloseable {

  /** A number in an answer, which is flat JSON. */
  private static final String NUMBER = "\"%s\":(\\d{1,18})";

  private static final Pattern RETENTION = Pattern.compile(NUMBER.formatted("retentionMillis"));
  private static final Pattern LONGEST = Pattern.compile(NUMBER.formatted("longestHoldMillis"));

  private final PrimaryCommands commands;
  private final String owner;

  /**
   * @param source finds the primary; remains the caller's
   * @param owner owner of the holds, in the form of {@link Hold#TEXT}
   */
  public HoldClient(TransactionManagerClientConfig config, AddressSource source, String owner) {
    if (!owner.matches(Hold.TEXT)) {
      throw new IllegalArgumentException("not the name of an owner, owner=" + owner);
    }
    this.commands = new PrimaryCommands(config, source);
    this.owner = owner;
  }

  @Override
  public CompletableFuture<Terms> terms() {
    return send("holds", "").thenApply(HoldClient::terms);
  }

  @Override
  public CompletableFuture<Terms> hold(String name, long timestamp, Duration lifetime) {
    return send("hold", key(name) + " timestamp=" + timestamp + " ttl=" + lifetime.toMillis())
        .thenApply(HoldClient::terms);
  }

  @Override
  public CompletableFuture<Void> renew(String name, Duration lifetime) {
    return send("renew", key(name) + " ttl=" + lifetime.toMillis()).thenAccept(answer -> {});
  }

  @Override
  public CompletableFuture<Void> release(String name) {
    return send("release", key(name)).thenAccept(answer -> {});
  }

  @Override
  public void close() {
    commands.close();
  }

  private String key(String name) {
    return "owner=" + owner + " name=" + name;
  }

  private CompletableFuture<String> send(String command, String argument) {
    return commands
        .send(command, argument)
        .thenApply(
            answer -> {
              if (!answer.succeeded()) {
                throw new RefusedException(
                    answer.text().contains(Hold.BELOW_SAFE_POINT), answer.text());
              }
              return answer.text();
            });
  }

  private static Terms terms(String answer) {
    return new Terms(millis(answer, RETENTION), millis(answer, LONGEST));
  }

  private static Duration millis(String answer, Pattern field) {
    Matcher found = field.matcher(answer);
    if (!found.find()) {
      throw new TransactionManagerException(
          Kind.INCOMPATIBLE,
          "the transaction manager does not tell its retention: it is of an older version");
    }
    return Duration.ofMillis(Long.parseLong(found.group(1)));
  }
}
