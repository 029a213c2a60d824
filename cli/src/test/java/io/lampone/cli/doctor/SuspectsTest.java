package io.lampone.cli.doctor;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.tuple;

import io.lampone.protocol.Bytes;
import io.lampone.protocol.RowFamily;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/** Examination of a table while the bound rises because of writers. */
final class SuspectsTest {

  private final List<DoctorFinding> findings = new ArrayList<>();

  private long bound = 1_000;
  private int reads;

  private final Suspects suspects =
      new Suspects(
          () -> {
            reads++;
            return bound;
          },
          findings::add);

  @Test
  void theBoundIsReadAfterTheCellWasSeen() throws Exception {
    suspects.add(suspect(1_000));
    bound = 2_000;
    suspects.judge();
    assertThat(findings).isEmpty();
    suspects.add(suspect(2_000));
    suspects.judge();
    assertThat(findings)
        .extracting(DoctorFinding::ailment, DoctorFinding::detail)
        .containsExactly(tuple(Ailment.IMPOSSIBLE_VERSION, "version=2000 bound=2000"));
  }

  @Test
  void itIsReadOnceForManyAndNotAtAllForNone() throws Exception {
    suspects.judge();
    assertThat(reads).isZero();
    for (int number = 0; number < Suspects.LIMIT; number++) {
      suspects.add(suspect(5_000));
    }
    assertThat(reads).isEqualTo(1);
    assertThat(findings).hasSize(Suspects.LIMIT);
    suspects.judge();
    assertThat(reads).isEqualTo(1);
    assertThat(suspects.bound()).isEqualTo(1_000);
  }

  private static RowExamination.Suspect suspect(long version) {
    return new RowExamination.Suspect(
        "t",
        version,
        "r/f",
        new DoctorFinding.Stored(
            new RowFamily("t", Bytes.utf8("r"), Bytes.utf8("f")), Bytes.EMPTY, version),
        Optional.empty());
  }
}
