package io.lampone.hbase;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.lampone.protocol.MalformedException;
import org.apache.hadoop.hbase.exceptions.DeserializationException;
import org.junit.jupiter.api.Test;

class ServerAnswerTest {

  @Test
  void anAnswerIsFoundAgainInALongerMessage() {
    ServerAnswer answer =
        new ServerAnswer("0.1 ]x", 1, 2, "2.6.4", "17.0.2", 1234567890123L, "a b=c");
    assertThat(ServerAnswer.parse("at x\nCaused by: " + answer.toText() + " more\n at y"))
        .contains(answer);
  }

  @Test
  void keysOfALaterVersionAreIgnored() {
    ServerAnswer answer = new ServerAnswer("9", 1, 1, "2.6", "17", 5, "");
    String later = answer.toText().replace(" ]", " tomorrow=x ]");
    assertThat(ServerAnswer.parse(later)).contains(answer);
  }

  @Test
  void otherMessagesHoldNone() {
    assertThat(ServerAnswer.parse("ClassNotFoundException: ServerProbe")).isEmpty();
    assertThatThrownBy(() -> ServerAnswer.parse("[lampone-server version=x ]"))
        .isInstanceOf(MalformedException.class);
  }

  @Test
  void aProbeIsAnsweredByAnException() {
    assertThatThrownBy(() -> ServerProbe.parseFrom(new ServerProbe().toByteArray()))
        .isInstanceOfSatisfying(
            DeserializationException.class,
            e -> {
              ServerAnswer answer = ServerAnswer.parse(e.getMessage()).orElseThrow();
              assertThat(answer.version()).isEqualTo(ServerAnswer.ownVersion());
              // The observer is in another module, which is not on this class path.
              assertThat(answer.observer()).contains("ClassNotFoundException");
            });
  }
}
