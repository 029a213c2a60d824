package io.lampone.tm.command;

import io.lampone.protocol.Bytes;
import io.lampone.protocol.MalformedException;
import io.lampone.protocol.connect.ClientToken;
import io.lampone.protocol.trust.DelegationToken;
import io.lampone.tm.command.Commands.Access;
import io.lampone.tm.command.Commands.Sender;
import io.lampone.tm.token.DelegationTokens;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.function.Supplier;

/**
 * Delegation tokens, for principals that have proved their identity otherwise than by a token:
 *
 * <pre>
 *   obtain-token  [renewer=R]
 *   renew-token   token=IDENTIFIER proof=P
 *   cancel-token  token=IDENTIFIER proof=P
 * </pre>
 *
 * <p>Identifiers, passwords and proofs are in base64url; a proof shows that the sender has the
 * token's password ({@link DelegationToken#possession}).
 */
public final class TokenCommands {

  private static final String TOKEN = "token";
  private static final String PROOF = "proof";
  private static final String RENEWER = "renewer";
  private static final String EXPIRES = "expiresMillis";

  private final DelegationTokens tokens;

  public TokenCommands(DelegationTokens tokens) {
    this.tokens = tokens;
  }

  /** Registers these commands. */
  public void addTo(Commands commands) {
    commands
        .add("obtain-token", Access.PROVED, this::obtain)
        .add("renew-token", Access.PROVED, this::renew)
        .add("cancel-token", Access.PROVED, this::cancel);
  }

  private CompletableFuture<String> obtain(String argument, Sender sender) {
    CommandArguments arguments = CommandArguments.parse(argument, List.of(RENEWER));
    if (!sender.mayRequest()) {
      throw new IllegalArgumentException(
          "a delegation token is for clients: the principal has not the role client");
    }
    String renewer = arguments.find(RENEWER).orElse("");
    ClientToken token = readable(() -> tokens.issue(sender.name(), renewer));
    return CompletableFuture.completedFuture(
        Json.object(
            json -> {
              json.writeStringField(
                  "identifier", DelegationToken.text(token.identifier().encode()));
              json.writeStringField("password", DelegationToken.text(token.password()));
              json.writeNumberField(EXPIRES, token.identifier().expiresMillis());
            }));
  }

  private CompletableFuture<String> renew(String argument, Sender sender) {
    CommandArguments arguments = CommandArguments.parse(argument, List.of(TOKEN, PROOF));
    return tokens
        .renew(token(arguments), proof(arguments), sender.name())
        .thenApply(until -> Json.object(json -> json.writeNumberField(EXPIRES, until)));
  }

  private CompletableFuture<String> cancel(String argument, Sender sender) {
    CommandArguments arguments = CommandArguments.parse(argument, List.of(TOKEN, PROOF));
    return tokens
        .cancel(token(arguments), proof(arguments), sender.name())
        .thenApply(done -> Json.object(json -> json.writeBooleanField("cancelled", true)));
  }

  private static DelegationToken token(CommandArguments arguments) {
    String text = arguments.text(TOKEN);
    return readable(() -> DelegationToken.decode(DelegationToken.bytes(text)));
  }

  private static Bytes proof(CommandArguments arguments) {
    String text = arguments.text(PROOF);
    return readable(() -> DelegationToken.bytes(text));
  }

  private static <T> T readable(Supplier<T> reading) {
    try {
      return reading.get();
    } catch (MalformedException e) {
      throw new IllegalArgumentException(e.getMessage(), e);
    }
  }
}
