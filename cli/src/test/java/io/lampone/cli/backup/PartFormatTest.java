package io.lampone.cli.backup;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.lampone.cli.backup.PartFormat.Totals;
import io.lampone.hbase.CellLifetimes;
import io.lampone.protocol.Timestamps;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import org.apache.hadoop.hbase.Cell;
import org.apache.hadoop.hbase.CellUtil;
import org.apache.hadoop.hbase.KeyValue;
import org.apache.hadoop.hbase.Tag;
import org.junit.jupiter.api.Test;

class PartFormatTest {

  private static final long TIMESTAMP = 1_800_000_000_000_000_000L & ~255L;
  private static final long START = TIMESTAMP - 4 * Timestamps.TICK;

  @Test
  void whatIsWrittenIsReadAndVersionsAreCommittedAtBirth() throws IOException {
    ByteArrayOutputStream file = new ByteArrayOutputStream();
    Totals written =
        write(
            file,
            cell("a", "f", 77, ""),
            cell("r", "f", START, "own"),
            cell("r", "g", START + 5, "savepoint"),
            cell("s", "f", START + 200, "fast"));

    List<Cell> read = new ArrayList<>();
    Totals found = read(file.toByteArray(), read);

    assertThat(found).isEqualTo(written);
    assertThat(written.rows()).isEqualTo(3);
    assertThat(written.cells()).isEqualTo(4);
    assertThat(read)
        .extracting(Cell::getTimestamp)
        .containsExactly(77L, START + 128, START + 133, START + 200);
    assertThat(read)
        .extracting(cell -> new String(CellUtil.cloneValue(cell), StandardCharsets.UTF_8))
        .containsExactly("", "own", "savepoint", "fast");
    assertThat(read).allMatch(cell -> Timestamps.isCommittedAtBirth(cell.getTimestamp()));
  }

  @Test
  void theBytesAreTheseForEver() throws IOException {
    ByteArrayOutputStream file = new ByteArrayOutputStream();
    write(file, cell("r", "f", 5, "v"));

    assertThat(HexFormat.of().formatHex(file.toByteArray()))
        .isEqualTo(
            "4c4d5042"
                + "02"
                + HexFormat.of().toHexDigits(TIMESTAMP)
                + "00000024"
                + crcOfFirstBlock(file)
                + "0000000172"
                + "0000000166"
                + "0000000171"
                + "0000000000000005"
                + "0000000176"
                + "0000000000000000"
                + "00000000"
                + crc("00000000000000010000000000000001")
                + "00000000000000010000000000000001");
  }

  @Test
  void aTtlIsReadWithItsCell() throws IOException {
    ByteArrayOutputStream file = new ByteArrayOutputStream();
    PartWriter writer = new PartWriter(file, TIMESTAMP);
    byte[] name = {'n'};
    writer.write(new KeyValue(name, name, name, START, KeyValue.Type.Put, name));
    List<Tag> tags = List.of(CellLifetimes.tag(60_000));
    writer.write(new KeyValue(name, name, name, START - 256, KeyValue.Type.Put, name, tags));
    Totals written = writer.end();
    List<Cell> read = new ArrayList<>();
    assertThat(read(file.toByteArray(), read)).isEqualTo(written);
    assertThat(read).extracting(CellLifetimes::millis).containsExactly(0L, 60_000L);
  }

  @Test
  void anOlderPartWithoutTtlsIsRead() throws IOException {
    String end = "00000000000000010000000000000001";
    String content = "0000000172" + "0000000166" + "0000000171" + "0000000000000005" + "0000000176";
    byte[] old =
        HexFormat.of()
            .parseHex(
                "4c4d5042"
                    + "01"
                    + HexFormat.of().toHexDigits(TIMESTAMP)
                    + "0000001c"
                    + crc(content)
                    + content
                    + "00000000"
                    + crc(end)
                    + end);
    List<Cell> read = new ArrayList<>();
    assertThat(read(old, read).cells()).isEqualTo(1);
    assertThat(read).extracting(CellLifetimes::millis).containsExactly(0L);
  }

  private static String crc(String content) {
    return HexFormat.of().toHexDigits(PartWriter.crc(HexFormat.of().parseHex(content)));
  }

  private static String crcOfFirstBlock(ByteArrayOutputStream file) {
    byte[] all = file.toByteArray();
    return HexFormat.of().toHexDigits(PartWriter.crc(Arrays.copyOfRange(all, 21, 21 + 36)));
  }

  @Test
  void noByteCanBeChangedCutOffOrAdded() throws IOException {
    ByteArrayOutputStream file = new ByteArrayOutputStream();
    Totals written = write(file, cell("r", "f", 5, "v"), cell("s", "f", START, "w"));
    byte[] sound = file.toByteArray();

    for (int position = 0; position < sound.length; position++) {
      for (int bit = 0; bit < 8; bit++) {
        byte[] changed = sound.clone();
        changed[position] ^= (byte) (1 << bit);
        assertDamaged(changed, written, "position=" + position + " bit=" + bit);
      }
      assertDamaged(Arrays.copyOf(sound, position), written, "cut at " + position);
    }
    assertDamaged(Arrays.copyOf(sound, sound.length + 1), written, "longer");
  }

  @Test
  void aCellWhoseBlockIsDamagedIsNotTold() throws IOException {
    ByteArrayOutputStream file = new ByteArrayOutputStream();
    write(file, cell("r", "f", 5, "v"));
    byte[] changed = file.toByteArray();
    changed[21 + 4] ^= 1; // the row
    List<Cell> told = new ArrayList<>();

    assertThatThrownBy(() -> read(changed, told)).isInstanceOf(BackupException.class);
    assertThat(told).isEmpty();
  }

  @Test
  void whatIsNoCellOfHBaseIsDamage() {
    ByteBuffer cell = ByteBuffer.allocate(Short.MAX_VALUE + 64);
    cell.putInt(Short.MAX_VALUE + 1).position(4 + Short.MAX_VALUE + 1); // a row that is too long
    cell.putInt(1).put((byte) 'f').putInt(1).put((byte) 'q').putLong(5).putInt(0).flip();
    byte[] content = Arrays.copyOf(cell.array(), cell.limit());
    ByteBuffer file = ByteBuffer.allocate(21 + content.length);
    file.putInt(PartFormat.MAGIC).put(PartFormat.FORMAT).putLong(TIMESTAMP);
    file.putInt(content.length).putInt(PartWriter.crc(content)).put(content);

    assertThatThrownBy(() -> read(file.array(), new ArrayList<>()))
        .isInstanceOf(BackupException.class)
        .hasMessageContaining("damaged: HBase takes no such cell");
  }

  @Test
  void blocksAreOfABoundedSize() throws IOException {
    ByteArrayOutputStream file = new ByteArrayOutputStream();
    PartWriter writer = new PartWriter(file, TIMESTAMP);
    byte[] value = new byte[PartFormat.BLOCK_BYTES / 3];
    for (int i = 0; i < 12; i++) {
      writer.write(
          new KeyValue(new byte[] {(byte) i}, bytes("f"), bytes("q"), 5, KeyValue.Type.Put, value));
      assertThat(writer.bytes()).isGreaterThanOrEqualTo((long) (i - 2) * value.length);
    }
    Totals written = writer.end();

    List<Cell> read = new ArrayList<>();
    assertThat(read(file.toByteArray(), read)).isEqualTo(written);
    assertThat(written.rows()).isEqualTo(12);
  }

  private static void assertDamaged(byte[] content, Totals written, String what) {
    Totals found;
    try {
      found = read(content, new ArrayList<>());
    } catch (BackupException e) {
      assertThat(e.getMessage()).as(what).contains("damaged");
      return;
    } catch (IOException e) {
      throw new AssertionError(what, e);
    }
    // Damage that the part cannot detect is detected by the checksum of the whole file.
    assertThat(found).as(what).isNotEqualTo(written);
  }

  private static Totals write(ByteArrayOutputStream file, Cell... cells) throws IOException {
    PartWriter writer = new PartWriter(file, TIMESTAMP);
    for (Cell cell : cells) {
      writer.write(cell);
    }
    return writer.end();
  }

  private static Totals read(byte[] content, List<Cell> into) throws IOException {
    return new PartReader(new ByteArrayInputStream(content), "part", content.length)
        .read(TIMESTAMP, into::add);
  }

  private static Cell cell(String row, String family, long version, String value) {
    return new KeyValue(
        bytes(row), bytes(family), bytes("q"), version, KeyValue.Type.Put, bytes(value));
  }

  private static byte[] bytes(String text) {
    return text.getBytes(StandardCharsets.UTF_8);
  }
}
