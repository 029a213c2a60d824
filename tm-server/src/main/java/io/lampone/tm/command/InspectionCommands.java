package io.lampone.tm.command;

import io.lampone.protocol.time.Clock;
import io.lampone.protocol.trust.DelegationToken;
import io.lampone.protocol.trust.InspectionPass;
import io.lampone.protocol.trust.Proofs;
import io.lampone.tm.command.Commands.Access;
import io.lampone.tm.command.Commands.Sender;
import java.util.List;
import java.util.concurrent.CompletableFuture;

/**
 * Issues inspection passes, in base64url, to administrators:
 *
 * <pre>
 *   inspection-pass
 * </pre>
 *
 * <p>Without a cluster key the pass is empty, because region servers require none.
 */
public final class InspectionCommands {

  /** The holder if clients need not prove a name. */
  private static final String UNNAMED = "unnamed";

  private final Proofs proofs;
  private final Clock clock;

  public InspectionCommands(Proofs proofs, Clock clock) {
    this.proofs = proofs;
    this.clock = clock;
  }

  /** Registers these commands. */
  public void addTo(Commands commands) {
    commands.add("inspection-pass", Access.ADMINISTRATOR, this::pass);
  }

  private CompletableFuture<String> pass(String argument, Sender sender) {
    CommandArguments.parse(argument, List.of());
    long expires = clock.wallMillis() + InspectionPass.LONGEST.toMillis();
    String pass = "";
    if (!proofs.isOpen()) {
      String holder = sender.name().isEmpty() ? UNNAMED : sender.name();
      pass = DelegationToken.text(proofs.inspection(holder, expires).encode());
    }
    String encoded = pass;
    return CompletableFuture.completedFuture(
        Json.object(
            json -> {
              json.writeStringField("pass", encoded);
              json.writeNumberField("expiresMillis", expires);
            }));
  }
}
