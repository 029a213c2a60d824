package io.lampone.coprocessor.core;

import io.lampone.coprocessor.core.clock.RecentVersions;
import io.lampone.protocol.Bytes;
import io.lampone.protocol.Timestamps;
import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.Expect;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.II_Result;

/**
 * Two writers, each under the lock of its row, take note of what they drew at the same place. Of
 * neither row less may be known afterwards than was drawn: a conflict would be missed.
 *
 * <p>Numbers: whether enough is known of each row.
 *
 * <p>Seen to fail with {@code drawn} that sets instead of comparing and setting.
 */
@JCStressTest
@Outcome(id = "1, 1", expect = Expect.ACCEPTABLE, desc = "nothing is too low")
@Outcome(expect = Expect.FORBIDDEN, desc = "a draw was forgotten")
@State
public class RecentVersionsStress {

  private static final long OPENED = Timestamps.PLAIN_LIMIT + Timestamps.TICK;
  private static final Bytes A = Bytes.of((byte) 1);
  private static final Bytes B = sharing();

  private final RecentVersions recent = new RecentVersions();

  public RecentVersionsStress() {
    recent.openedBelow(OPENED);
  }

  @Actor
  public void one() {
    recent.drawn(A, OPENED + 200);
  }

  @Actor
  public void another() {
    recent.drawn(B, OPENED + 201);
  }

  @Arbiter
  public void known(II_Result result) {
    result.r1 = recent.bornUpTo(A) >= OPENED + 200 ? 1 : 0;
    result.r2 = recent.bornUpTo(B) >= OPENED + 201 ? 1 : 0;
  }

  /** A row of the same slot as the other one. */
  private static Bytes sharing() {
    for (int i = 0; ; i++) {
      Bytes row = Bytes.utf8("row" + i);
      RecentVersions probe = new RecentVersions();
      probe.openedBelow(1);
      probe.drawn(A, 3);
      probe.drawn(row, 2);
      if (probe.bornAbove(row, 1) == RecentVersions.UNKNOWN) {
        return row;
      }
    }
  }
}
