package io.lampone.tm.command;

import io.lampone.tm.command.Commands.Access;
import io.lampone.tm.command.Commands.Sender;
import java.util.List;
import java.util.concurrent.CompletableFuture;

/**
 * Lists open transactions as clients report them, oldest first:
 *
 * <pre>
 *   transactions
 * </pre>
 *
 * <p>Apart from administrators, a client sees only those of its own principal.
 */
public final class TransactionCommands {

  /** Maximum number of transactions in an answer. */
  private static final int MAX_LISTED = 1000;

  private final ConnectedClients clients;

  public TransactionCommands(ConnectedClients clients) {
    this.clients = clients;
  }

  /** Registers these commands. */
  public void addTo(Commands commands) {
    commands.add("transactions", Access.CLIENT, this::list);
  }

  private CompletableFuture<String> list(String argument, Sender sender) {
    CommandArguments.parse(argument, List.of());
    ConnectedClients.OpenTransactions visible =
        clients.openTransactions(
            MAX_LISTED,
            principal ->
                sender.mayAdminister() || sender.proved() && principal.equals(sender.name()));
    return CompletableFuture.completedFuture(
        Json.object(
            json -> {
              json.writeNumberField("reported", visible.reported());
              json.writeArrayFieldStart("transactions");
              for (OpenTransactionReport each : visible.oldest()) {
                each.writeTo(json);
              }
              json.writeEndArray();
            }));
  }
}
