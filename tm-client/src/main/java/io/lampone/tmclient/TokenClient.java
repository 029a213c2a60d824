package io.lampone.tmclient;

import io.lampone.protocol.MalformedException;
import io.lampone.protocol.connect.ClientToken;
import io.lampone.protocol.tm.TransactionManagerException;
import io.lampone.protocol.tm.TransactionManagerException.Kind;
import io.lampone.protocol.trust.DelegationToken;
import io.lampone.tmclient.discovery.AddressSource;
import java.util.concurrent.CompletableFuture;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Obtains, renews and cancels delegation tokens by commands to the primary. After a refusal the
 * future fails with a {@link TransactionManagerException} of kind REJECTED with the reason.
 */
public final class TokenClient implements AutoCloseable {

  /** A field of an answer, which is flat JSON. */
  private static final String FIELD = "\"%s\":\"?([A-Za-z0-9_-]+)";

  private static final Pattern IDENTIFIER = Pattern.compile(FIELD.formatted("identifier"));
  private static final Pattern PASSWORD = Pattern.compile(FIELD.formatted("password"));
  private static final Pattern EXPIRES = Pattern.compile(FIELD.formatted("expiresMillis"));

  private final PrimaryCommands commands;

  /**
   * @param config must authenticate the client's own name, not by a token
   * @param source finds the primary; remains the caller's
   */
  public TokenClient(TransactionManagerClientConfig config, AddressSource source) {
    this.commands = new PrimaryCommands(config, source);
  }

  /**
   * Obtains a token in the client's own name.
   *
   * @param renewer the principal that may renew it; empty for none
   */
  public CompletableFuture<ClientToken> obtain(String renewer) {
    return send("obtain-token", renewer.isEmpty() ? "" : "renewer=" + renewer)
        .thenApply(
            answer ->
                new ClientToken(
                    DelegationToken.decode(DelegationToken.bytes(field(answer, IDENTIFIER))),
                    DelegationToken.bytes(field(answer, PASSWORD))));
  }

  /** Renews a token; completes with its end of validity, in milliseconds since 1970. */
  public CompletableFuture<Long> renew(ClientToken token) {
    return send("renew-token", held(token))
        .thenApply(answer -> Long.parseLong(field(answer, EXPIRES)));
  }

  /** Cancels a token; effective at other transaction managers a few seconds later. */
  public CompletableFuture<Void> cancel(ClientToken token) {
    return send("cancel-token", held(token)).thenAccept(answer -> {});
  }

  @Override
  public void close() {
    commands.close();
  }

  private static String held(ClientToken token) {
    return "token="
        + DelegationToken.text(token.identifier().encode())
        + " proof="
        + DelegationToken.text(token.identifier().possession(token.password()));
  }

  private CompletableFuture<String> send(String command, String argument) {
    return commands
        .send(command, argument)
        .thenApply(
            answer -> {
              if (!answer.succeeded()) {
                throw new TransactionManagerException(Kind.REJECTED, answer.text());
              }
              return answer.text();
            });
  }

  private static String field(String answer, Pattern pattern) {
    Matcher found = pattern.matcher(answer);
    if (!found.find()) {
      throw new MalformedException("answer without what was asked for");
    }
    return found.group(1);
  }
}
