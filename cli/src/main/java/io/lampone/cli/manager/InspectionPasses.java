package io.lampone.cli.manager;

import com.fasterxml.jackson.databind.JsonNode;
import io.lampone.cli.CommandException;
import io.lampone.cli.doctor.Doctor;
import io.lampone.protocol.time.Clock;
import io.lampone.protocol.trust.DelegationToken;
import io.lampone.protocol.trust.InspectionPass;
import java.io.IOException;
import java.util.Optional;

/**
 * The passes of one tool for its inspections, from the primary; a new one when half of the time of
 * the last is over. One thread.
 */
public final class InspectionPasses implements Doctor.Passes {

  private final ManagerOperations operations;
  private final Clock clock;

  private byte[] pass = InspectionPass.none();
  private long renewMillis;

  /** Why there is none; empty while there is, or none is needed. */
  private Optional<String> refusal = Optional.empty();

  private InspectionPasses(ManagerOperations operations, Clock clock) {
    this.operations = operations;
    this.clock = clock;
  }

  /** Obtains the first pass. Without one the tool goes on, and sees less. */
  public static InspectionPasses obtain(ManagerOperations operations, Clock clock)
      throws IOException, InterruptedException {
    InspectionPasses passes = new InspectionPasses(operations, clock);
    try {
      passes.renew();
    } catch (CommandException e) {
      passes.refusal = Optional.of(String.valueOf(e.getMessage()));
    }
    return passes;
  }

  /** Why there is no pass, for a person; empty if there is one, or none is needed. */
  public Optional<String> refusal() {
    return refusal;
  }

  @Override
  public boolean isRedacted() {
    return InspectionPass.isNone(pass);
  }

  @Override
  public byte[] current() throws IOException, InterruptedException {
    if (refusal.isEmpty() && clock.wallMillis() >= renewMillis) {
      renew();
    }
    return pass;
  }

  private void renew() throws IOException, InterruptedException {
    long now = clock.wallMillis();
    JsonNode answer = operations.atPrimary("inspection-pass", "").content();
    String text = answer.path("pass").asText();
    pass = text.isEmpty() ? InspectionPass.none() : DelegationToken.bytes(text).toArray();
    renewMillis = now + InspectionPass.LONGEST.toMillis() / 2;
  }
}
