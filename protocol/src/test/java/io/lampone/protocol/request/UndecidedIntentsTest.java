package io.lampone.protocol.request;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.lampone.protocol.Bytes;
import io.lampone.protocol.MalformedException;
import io.lampone.protocol.RowFamily;
import io.lampone.protocol.request.UndecidedIntents.Met;
import java.util.List;
import java.util.Optional;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class UndecidedIntentsTest {

  private static final Bytes F = Bytes.utf8("f");

  private static Met met(int number, Optional<RowFamily> leader) {
    return new Met(256L * number, Bytes.utf8("row " + number), F, Bytes.EMPTY, leader);
  }

  @Test
  void whatARefusalNamesIsFoundInItsText() {
    List<Met> all =
        List.of(
            met(1, Optional.empty()),
            met(2, Optional.of(new RowFamily("t:x", Bytes.utf8("leader"), F))));

    Refusal refusal = new UndecidedIntents(all).refusal();
    // As HBase tells it: with the class in front and the server's stack trace behind.
    Refusal parsed = Refusal.parse("a.b.C: " + refusal.toText() + "\n\tat a.b.c(D.java:1)\n");

    assertThat(parsed.code()).isEqualTo(Refusal.Code.UNDECIDED);
    assertThat(parsed.row()).isEqualTo(Bytes.utf8("row 1"));
    assertThat(UndecidedIntents.in(parsed).all()).isEqualTo(all);
  }

  @Test
  void aRefusalNamesNoMoreThanItHasRoomFor() {
    Bytes longRow = Bytes.wrap(new byte[RequestLimits.MAX_ROW_BYTES]);
    Met large = new Met(256, longRow, F, F, Optional.empty());

    Refusal refusal =
        new UndecidedIntents(IntStream.range(0, 10).mapToObj(i -> large).toList()).refusal();

    assertThat(UndecidedIntents.in(refusal).all()).containsExactly(large);
  }

  @Test
  void otherTextNamesNone() {
    for (String detail :
        List.of("", "intents=", "intents=AQA x", "intents=!! x", "intents=AgA x")) {
      assertThatThrownBy(() -> UndecidedIntents.in(Refusal.of(Refusal.Code.UNDECIDED, detail)))
          .isInstanceOf(MalformedException.class);
    }
  }
}
