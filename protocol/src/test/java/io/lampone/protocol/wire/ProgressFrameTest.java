package io.lampone.protocol.wire;

import static org.assertj.core.api.Assertions.assertThat;

import io.lampone.protocol.tm.ClientWork;
import io.lampone.protocol.tm.HotRow;
import io.lampone.protocol.tm.ProgressReport;
import io.lampone.protocol.tm.ServerReport;
import io.lampone.protocol.tm.StartBlock;
import io.lampone.protocol.tm.Validator;
import io.lampone.protocol.trust.Grant;
import io.lampone.protocol.trust.Tag;
import java.nio.ByteBuffer;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;

/** The bytes of progress reports and their answers. */
final class ProgressFrameTest {

  private static final int MAX_MESSAGES = 16;
  private static final Grant GRANT = new Grant(0x0100000000000000L, 1, new Tag(10, 11));

  private final FrameWriter writer = new FrameWriter();

  @Test
  void theMessagesOfProgressNeverChange() {
    writer.start(FrameKind.REQUESTS);
    new WireRequest.Validate(
            1,
            new Validator.Request(
                0x0100000000000000L, GRANT, true, new long[0], new long[0], false, true))
        .writeTo(writer);
    ProgressReport report =
        new ProgressReport(
            5,
            new long[] {0x300, 0x400},
            Optional.of(
                List.of(
                    new ProgressReport.Open(0x500, 6, "a,b"),
                    new ProgressReport.Open(0x700, 8, ""))));
    new WireRequest.Report(2, report).writeTo(writer);
    new WireRequest.Report(3, new ProgressReport(0, new long[0], Optional.empty())).writeTo(writer);
    byte[] requests = copy();
    assertThat(HexFormat.of().formatHex(requests).substring(16))
        .isEqualTo(
            "04"
                + "00000003"
                + "09"
                + "0100000000000000"
                + "00000001"
                + "000000000000000a000000000000000b"
                + "020000000000000001"
                + "0100000000000000"
                + "0d"
                + "0000000000000000"
                + "060000000000000002"
                + "01"
                + "0005000200020004"
                + "00000000000003000000000000000400"
                + "000000000000050000000006"
                + "000000000000070000000008"
                + "612c620a"
                + "060000000000000003"
                + "00"
                + "0000000000000000");
    List<WireRequest> read =
        WireRequest.readBatch(FrameReader.open(ByteBuffer.wrap(requests)), MAX_MESSAGES);
    assertThat(read.get(1)).usingRecursiveComparison().isEqualTo(new WireRequest.Report(2, report));

    List<WireReply> replies =
        List.of(
            new WireReply.Progressed(
                2, new StartBlock(0x600, 0x500, 0x0100000000000000L, 2, GRANT)),
            new WireReply.Progressed(
                3, new StartBlock(0x600, 0x500, 0x700, 0, new Grant(0x700, 0, Tag.NONE))));
    writer.start(FrameKind.REPLIES);
    replies.forEach(reply -> reply.writeTo(writer));
    byte[] written = copy();
    assertThat(HexFormat.of().formatHex(written).substring(16))
        .isEqualTo(
            "05"
                + "00000002"
                + "10"
                + "0100000000000000"
                + "00000001"
                + "000000000000000a000000000000000b"
                + "0d0000000000000002"
                + "000000000000060000000000000005000100000000000000"
                + "0002"
                + "0d0000000000000003"
                + "000000000000060000000000000005000000000000000700"
                + "0000");
    assertThat(WireReply.readBatch(FrameReader.open(ByteBuffer.wrap(written)))).isEqualTo(replies);
  }

  @Test
  void hotRowsNeverChange() {
    ProgressReport report =
        new ProgressReport(
            0,
            new long[0],
            Optional.empty(),
            Optional.of(List.of(new HotRow("range", "t", "a b", 9, 0x800))),
            new TreeMap<>(),
            Optional.empty());
    writer.start(FrameKind.REQUESTS);
    new WireRequest.Report(4, report).writeTo(writer);
    byte[] written = copy();
    assertThat(HexFormat.of().formatHex(written).substring(16))
        .isEqualTo(
            "04"
                + "00000001"
                + "060000000000000004"
                + "02"
                + "0000000000000000"
                + "0001000b"
                + "000000090000000000000800"
                + "72616e6765207420612062");
    assertThat(WireRequest.readBatch(FrameReader.open(ByteBuffer.wrap(written)), MAX_MESSAGES))
        .usingRecursiveComparison()
        .isEqualTo(List.of(new WireRequest.Report(4, report)));
    assertThat(report.sentTo(Capabilities.PROGRESS).hotRows()).isEmpty();
    assertThat(report.sentTo(Capabilities.PROGRESS | Capabilities.HOT_ROWS)).isSameAs(report);
  }

  @Test
  void workNeverChanges() {
    ProgressReport work =
        new ProgressReport(
            0,
            new long[0],
            Optional.empty(),
            Optional.of(List.of(new HotRow("range", "t", "a b", 9, 0x800))),
            new TreeMap<>(Map.of(ClientWork.event("begin"), 7, ClientWork.bucket("commit", 3), 1)),
            Optional.empty());
    ProgressReport server =
        ProgressReport.of(
            new ServerReport(
                "rs1:16020", new TreeMap<>(Map.of("epoch", 3L, "requests.Flush", 9L))));
    writer.start(FrameKind.REQUESTS);
    new WireRequest.Report(4, work).writeTo(writer);
    new WireRequest.Report(5, server).writeTo(writer);
    byte[] written = copy();
    assertThat(HexFormat.of().formatHex(written).substring(16))
        .isEqualTo(
            "04"
                + "00000002"
                + "060000000000000004"
                + "06"
                + "0000000000000000"
                + "0001000b"
                + "000000090000000000000800"
                + "72616e6765207420612062"
                + "0002"
                + "000000000007"
                + "02c300000001"
                + "060000000000000005"
                + "08"
                + "0000000000000000"
                + "0022"
                + "7273313a31363032300a65706f636820330a72657175657374732e466c7573682039");
    assertThat(WireRequest.readBatch(FrameReader.open(ByteBuffer.wrap(written)), MAX_MESSAGES))
        .usingRecursiveComparison()
        .isEqualTo(List.of(new WireRequest.Report(4, work), new WireRequest.Report(5, server)));
    assertThat(work.sentTo(Capabilities.HOT_ROWS).work()).isEmpty();
    assertThat(work.sentTo(Capabilities.HOT_ROWS).hotRows()).isPresent();
    assertThat(server.sentTo(Capabilities.PROGRESS).server()).isEmpty();
  }

  @Test
  void everyIndexHasItsPlace() {
    assertThat(ClientWork.event("conflict.write-write")).isEqualTo(5);
    assertThat(ClientWork.event("conflict.of-a-kind-to-come"))
        .isEqualTo(ClientWork.event("conflict.other"));
    assertThat(ClientWork.event("of-a-kind-to-come")).isEqualTo(-1);
    assertThat(ClientWork.event("committed.of-a-kind-to-come")).isEqualTo(-1);
    assertThat(ClientWork.bucket("fast-write", ClientWork.BOUNDS)).isEqualTo(64 + 12 * 64 + 43);
    assertThat(ClientWork.bucket("phase-to-come", 0)).isEqualTo(-1);
    assertThat(ClientWork.EVENTS).hasSizeLessThan(ClientWork.FIRST_PHASE);
  }

  private byte[] copy() {
    ByteBuffer frame = writer.finish();
    byte[] bytes = new byte[frame.remaining()];
    frame.get(bytes);
    return bytes;
  }
}
