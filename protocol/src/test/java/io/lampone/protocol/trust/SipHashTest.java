package io.lampone.protocol.trust;

import static org.assertj.core.api.Assertions.assertThat;

import io.lampone.protocol.Encoder;
import java.util.HexFormat;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Vectors of the authors' reference implementation: key 00..0f, message 00, 01, 02 and so on. */
class SipHashTest {

  private static final SipHash.Key KEY = new SipHash.Key(counting(16));

  @ParameterizedTest
  @CsvSource({"0, a3817f04ba25a8e66df67214c7550293", "1, da87c1d86b99af44347659119b22fc45"})
  void tag_referenceVector(int length, String expected) {
    Tag tag = SipHash.tag(KEY, counting(length));
    assertThat(littleEndian(tag.first()) + littleEndian(tag.second())).isEqualTo(expected);
  }

  @Test
  void tag_everyByteCounts() {
    byte[] message = counting(33);
    Tag tag = SipHash.tag(KEY, message);
    for (int i = 0; i < message.length; i++) {
      message[i] ^= 1;
      assertThat(SipHash.tag(KEY, message)).as("byte %d", i).isNotEqualTo(tag);
      message[i] ^= 1;
    }
  }

  private static String littleEndian(long value) {
    return HexFormat.of()
        .formatHex(new Encoder(Long.BYTES).i64(Long.reverseBytes(value)).toByteArray());
  }

  private static byte[] counting(int length) {
    byte[] bytes = new byte[length];
    for (int i = 0; i < length; i++) {
      bytes[i] = (byte) i;
    }
    return bytes;
  }
}
