package io.lampone.tm.command;

import io.lampone.tm.command.Commands.Access;
import io.lampone.tm.command.Commands.Sender;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.function.Supplier;

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

  private final Supplier<List<OpenTransactionReport>> open;

  public TransactionCommands(Supplier<List<OpenTransactionReport>> open) {
    this.open = open;
  }

  /** Registers these commands. */
  public void addTo(Commands commands) {
    commands.add("transactions", Access.CLIENT, this::list);
  }

  private CompletableFuture<String> list(String argument, Sender sender) {
    CommandArguments.parse(argument, List.of());
    List<OpenTransactionReport> visible =
        open.get().stream()
            .filter(
                each ->
                    sender.mayAdminister()
                        || sender.proved() && each.principal().equals(sender.name()))
            .sorted(OpenTransactionReport.OLDEST_FIRST)
            .toList();
    return CompletableFuture.completedFuture(
        Json.object(
            json -> {
              json.writeNumberField("reported", visible.size());
              json.writeArrayFieldStart("transactions");
              for (OpenTransactionReport each : visible.stream().limit(MAX_LISTED).toList()) {
                json.writeStartObject();
                json.writeStringField("principal", each.principal());
                json.writeStringField("remote", each.remote());
                json.writeNumberField("startTimestamp", each.snapshot());
                json.writeNumberField("ageMillis", each.ageMillis());
                json.writeStringField("tables", each.tables());
                json.writeNumberField("reportedMillisAgo", each.reportedMillisAgo());
                json.writeEndObject();
              }
              json.writeEndArray();
            }));
  }
}
