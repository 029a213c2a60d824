package io.lampone.coprocessor.core.fence;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.lampone.protocol.Bytes;
import io.lampone.protocol.request.Refusal.Code;
import io.lampone.protocol.time.SystemClock;
import io.lampone.protocol.trust.ClusterKey;
import io.lampone.protocol.trust.InspectionPass;
import io.lampone.protocol.trust.KeyRing;
import io.lampone.protocol.trust.Proofs;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Which inspections are shown what is stored. */
class InspectionCheckTest {

  @Test
  void anInspection_showsAll_byAPassThatIsRightAndInTime() {
    long now = SystemClock.INSTANCE.wallMillis();
    Proofs cluster = new Proofs(key());
    ProofCheck check = check(key());

    assertThat(check.mayInspect(InspectionPass.none())).isFalse();
    // As earlier versions ask: a healer would take followers that it is not shown for none.
    assertThatThrownBy(() -> check.mayInspect(new byte[] {1}))
        .isInstanceOf(Refused.class)
        .hasMessageContaining("update");
    assertThat(check.mayInspect(cluster.inspection("a", now + 60_000).encode().toArray())).isTrue();
    for (InspectionPass wrong :
        List.of(
            cluster.inspection("a", now - 1),
            cluster.inspection("a", now + 2 * InspectionPass.LONGEST.toMillis()),
            Proofs.OPEN.inspection("a", now + 60_000))) {
      assertThatThrownBy(() -> check.mayInspect(wrong.encode().toArray()))
          .isInstanceOfSatisfying(
              Refused.class,
              refused -> assertThat(refused.refusal().code()).isEqualTo(Code.UNPROVED));
    }
    assertThat(check(ClusterKey.OPEN).mayInspect(new byte[] {1})).isTrue();
  }

  private static ProofCheck check(KeyRing ring) {
    return new ProofCheck(ring, Duration.ofSeconds(2), true, () -> {}, SystemClock.INSTANCE);
  }

  private static ClusterKey key() {
    byte[] key = new byte[ClusterKey.BYTES];
    key[0] = 1;
    return new ClusterKey(Bytes.wrap(key));
  }
}
