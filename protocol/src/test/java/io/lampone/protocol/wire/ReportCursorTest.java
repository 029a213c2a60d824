package io.lampone.protocol.wire;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.lampone.protocol.MalformedException;
import io.lampone.protocol.tm.ProgressReport;
import io.lampone.protocol.tm.ServerReport;
import io.lampone.protocol.tm.Validator;
import io.lampone.protocol.trust.Proofs;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.zip.CRC32C;
import org.junit.jupiter.api.Test;

/** Progress reports in frames of requests: what is accepted, and from whom. */
final class ReportCursorTest {

  private static final int MAX_MESSAGES = 16;

  private static final long REPORTING =
      Capabilities.PROGRESS | Capabilities.HOT_ROWS | Capabilities.WORK;

  private final FrameWriter writer = new FrameWriter();
  private final RequestCursor cursor = new RequestCursor(MAX_MESSAGES);

  @Test
  void showsProgressOnlyToThoseWhoHaveTheCapability() {
    long[] one = {7};
    byte[] reported =
        frame(
            List.of(
                new WireRequest.Validate(
                    1,
                    new Validator.Request(
                        256, Proofs.OPEN.grant(256, 0), true, one, one, false, true))));
    ProgressReport empty = new ProgressReport(1, new long[0], Optional.empty());
    byte[] report = frame(List.of(new WireRequest.Report(1, empty)));
    byte[] hot =
        frame(
            List.of(
                new WireRequest.Report(
                    1,
                    new ProgressReport(
                        1,
                        new long[0],
                        Optional.empty(),
                        Optional.of(List.of()),
                        new TreeMap<>(),
                        Optional.empty()))));
    byte[] server =
        frame(
            List.of(
                new WireRequest.Report(
                    1, ProgressReport.of(new ServerReport("h:1", new TreeMap<>())))));
    assertThatThrownBy(
            () ->
                cursor.open(ByteBuffer.wrap(server), Capabilities.PROGRESS | Capabilities.HOT_ROWS))
        .isInstanceOf(MalformedException.class)
        .hasMessageContaining("without the capability");
    cursor.open(ByteBuffer.wrap(server), REPORTING);
    assertThatThrownBy(() -> cursor.open(ByteBuffer.wrap(hot), Capabilities.PROGRESS))
        .isInstanceOf(MalformedException.class)
        .hasMessageContaining("without the capability");
    cursor.open(ByteBuffer.wrap(hot), REPORTING);
    for (byte[] frame : List.of(reported, report)) {
      cursor.open(ByteBuffer.wrap(frame), Capabilities.PROGRESS);
      assertThatThrownBy(() -> cursor.open(ByteBuffer.wrap(frame), Capabilities.PRIORITY))
          .isInstanceOf(MalformedException.class)
          .hasMessageContaining("without the capability");
    }
    cursor.open(ByteBuffer.wrap(report), Capabilities.PROGRESS);
    assertThat(cursor.report().inFrame()).isEqualTo(1);
    assertThat(cursor.highestTimestamp()).isZero();
  }

  /** What clients write is shown on the terminals of operators. */
  @Test
  void refusesTextWithControlCharacters() {
    byte[] frame =
        frame(
            List.of(
                new WireRequest.Report(
                    1,
                    new ProgressReport(
                        0,
                        new long[0],
                        Optional.of(List.of(new ProgressReport.Open(256, 1, "xx")))))));
    for (byte character : new byte[] {27, '\n', 0, -1, 127}) {
      frame[frame.length - 1] = character;
      seal(frame);
      assertThatThrownBy(() -> cursor.open(ByteBuffer.wrap(frame), Capabilities.PROGRESS))
          .isInstanceOf(MalformedException.class);
    }
    frame[frame.length - 1] = '~';
    seal(frame);
    cursor.open(ByteBuffer.wrap(frame), Capabilities.PROGRESS);
    byte[] server =
        frame(
            List.of(
                new WireRequest.Report(
                    1, ProgressReport.of(new ServerReport("host", new TreeMap<>())))));
    cursor.open(ByteBuffer.wrap(server), REPORTING);
    for (byte character : new byte[] {27, '\n', 0, -1, 127, '<', '"'}) {
      server[server.length - 1] = character;
      seal(server);
      assertThatThrownBy(() -> cursor.open(ByteBuffer.wrap(server), REPORTING))
          .isInstanceOf(MalformedException.class);
    }
  }

  @Test
  void refusesNegativeCounts() {
    byte[] frame =
        frame(
            List.of(
                new WireRequest.Report(
                    1,
                    new ProgressReport(
                        0,
                        new long[0],
                        Optional.empty(),
                        Optional.empty(),
                        new TreeMap<>(Map.of(1, 2)),
                        Optional.empty()))));
    cursor.open(ByteBuffer.wrap(frame), REPORTING);
    frame[frame.length - Integer.BYTES] = -1;
    seal(frame);
    assertThatThrownBy(() -> cursor.open(ByteBuffer.wrap(frame), REPORTING))
        .isInstanceOf(MalformedException.class)
        .hasMessageContaining("negative");
  }

  private byte[] frame(List<WireRequest> requests) {
    writer.start(FrameKind.REQUESTS);
    requests.forEach(request -> request.writeTo(writer));
    ByteBuffer finished = writer.finish();
    byte[] frame = new byte[finished.remaining()];
    finished.get(frame);
    return frame;
  }

  /** Corrects length and checksum. */
  private static void seal(byte[] frame) {
    CRC32C crc = new CRC32C();
    crc.update(frame, FrameLayout.KIND_OFFSET, frame.length - FrameLayout.KIND_OFFSET);
    ByteBuffer.wrap(frame)
        .putInt(FrameLayout.LENGTH_OFFSET, frame.length - FrameLayout.HEAD_BYTES)
        .putInt(FrameLayout.CRC_OFFSET, (int) crc.getValue());
  }
}
