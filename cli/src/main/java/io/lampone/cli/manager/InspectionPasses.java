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
 * Inspection passes of one tool, obtained from the primary and replaced after half of their
 * lifetime. Not thread-safe.
 */
public final class InspectionPasses implements Doctor.Passes {

  private final ManagerOperations operations;
  private final Clock clock;

  private byte[] pass = InspectionPass.none();
  private long renewMillis;

  /** Reason for the lack of a pass; empty if there is one, or none is needed. */
  private Optional<String> refusal = Optional.empty();

  private InspectionPasses(ManagerOperations operations, Clock clock) {
    this.operations = operations;
    this.clock = clock;
  }

  /** Obtains the first pass. Without one the tool continues with less information. */
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

  /** Returns the reason for the lack of a pass; empty if there is one, or none is needed. */
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
