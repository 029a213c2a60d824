package io.lampone.hbase;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.lampone.protocol.Bytes;
import io.lampone.protocol.request.Refusal;
import io.lampone.protocol.request.UndecidedIntents;
import io.lampone.protocol.request.UndecidedIntents.Met;
import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

class RefusalExceptionTest {

  private static final Bytes ANY = Bytes.utf8("r");
  private static final Refusal UNDECIDED =
      new UndecidedIntents(List.of(new Met(256, ANY, ANY, ANY, Optional.empty()))).refusal();

  /** HBase's client prints what it makes of the server's message. */
  @Test
  void theRefusalOfAScanThatMetUndecidedIntentsIsNotPrintedToStandardError() {
    RefusalException received = new RefusalException(new RefusalException(UNDECIDED).getMessage());
    assertThat(printed(received)).isEmpty();
    StringWriter named = new StringWriter();
    received.printStackTrace(new PrintWriter(named, true));
    assertThat(named.toString()).contains("UNDECIDED");
  }

  @Test
  void everyOtherRefusalIsPrintedWithItsTrace() {
    RefusalException denied =
        new RefusalException(Refusal.of(Refusal.Code.PLAIN_CLIENT, "use the client"));
    assertThat(printed(denied)).contains("use the client").contains("\tat " + getClass().getName());
    assertThat(printed(new RefusalException("no refusal"))).contains("no refusal");
  }

  private static String printed(RefusalException refusal) {
    PrintStream before = System.err;
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    System.setErr(new PrintStream(bytes, true, UTF_8));
    try {
      refusal.printStackTrace();
    } finally {
      System.setErr(before);
    }
    return bytes.toString(UTF_8);
  }
}
