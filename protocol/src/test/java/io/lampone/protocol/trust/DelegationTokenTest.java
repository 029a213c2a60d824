package io.lampone.protocol.trust;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.lampone.protocol.Bytes;
import io.lampone.protocol.MalformedException;
import io.lampone.protocol.wire.FrameLayout;
import io.lampone.protocol.wire.Identity;
import java.util.Arrays;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import org.junit.jupiter.api.Test;

final class DelegationTokenTest {

  private static final long NOW = 1_800_000_000_000L;
  private static final long DAY = 86_400_000;
  private static final DelegationToken TOKEN =
      new DelegationToken("alice@OTHER.ORG", "yarn", NOW, NOW + DAY, NOW + 7 * DAY, -5);
  private static final Bytes KEY = Bytes.utf8("0123456789abcdef0123456789abcdef");

  @Test
  void itSurvivesBytesAndName() {
    assertThat(DelegationToken.decode(TOKEN.encode())).isEqualTo(TOKEN);
    assertThat(DelegationToken.ofName(TOKEN.name())).isEqualTo(TOKEN);
    Identity identity = Identity.of(new Identity(TOKEN.name(), "books").credential());
    assertThat(identity.token()).contains(TOKEN);
    assertThat(identity.tenant()).isEqualTo("books");
    assertThat(new Identity("alice", "").token()).isEmpty();
  }

  @Test
  void theLongestOneFitsIntoAHello() {
    String name = "n".repeat(Identity.MAX_NAME_LENGTH);
    DelegationToken longest = new DelegationToken(name, name, NOW, NOW, NOW, Long.MIN_VALUE);
    assertThat(longest.encode().length()).isLessThanOrEqualTo(DelegationToken.MAX_BYTES);
    assertThat(new Identity(longest.name(), name).credential().length())
        .isLessThan(FrameLayout.MAX_CREDENTIAL_BYTES);
    assertThat(DelegationToken.MAX_BYTES * 4 / 3 + 8 + 1 + Identity.MAX_NAME_LENGTH)
        .isLessThan(FrameLayout.MAX_CREDENTIAL_BYTES);
  }

  /** Whatever is read is either refused as malformed or says the same again in the same bytes. */
  @Test
  void hostileBytesAreRefused() {
    long seed = System.nanoTime();
    Random random = new Random(seed);
    byte[] good = TOKEN.encode().toArray();
    for (int i = 0; i < 200_000; i++) {
      byte[] bytes = Arrays.copyOf(good, random.nextInt(good.length + 5));
      for (int j = random.nextInt(4); j > 0 && bytes.length > 0; j--) {
        bytes[random.nextInt(bytes.length)] = (byte) random.nextInt(256);
      }
      try {
        assertThat(DelegationToken.decode(Bytes.wrap(bytes)).encode())
            .as("seed=%d", seed)
            .isEqualTo(Bytes.wrap(bytes));
      } catch (MalformedException expected) {
        assertThat(expected.getMessage()).isNotEmpty();
      }
    }
    assertThatThrownBy(() -> DelegationToken.decode(Bytes.wrap(new byte[201])))
        .isInstanceOf(MalformedException.class);
    for (String name : new String[] {"token:", "token:?", "token:AAAA", TOKEN.name() + "=", "x"}) {
      assertThatThrownBy(() -> DelegationToken.ofName(name)).isInstanceOf(MalformedException.class);
    }
    assertThatThrownBy(() -> new Identity(TOKEN.name() + "=", ""))
        .isInstanceOf(MalformedException.class);
  }

  @Test
  void namesAndTimesAreChecked() {
    assertThatThrownBy(() -> new DelegationToken("", "", NOW, NOW, NOW, 1))
        .isInstanceOf(MalformedException.class);
    assertThatThrownBy(() -> new DelegationToken("a\nb", "", NOW, NOW, NOW, 1))
        .isInstanceOf(MalformedException.class);
    assertThatThrownBy(() -> new DelegationToken("a", "token:b", NOW, NOW, NOW, 1))
        .isInstanceOf(MalformedException.class);
    assertThatThrownBy(() -> new DelegationToken("a", "", NOW, NOW - 1, NOW, 1))
        .isInstanceOf(MalformedException.class);
    assertThatThrownBy(() -> new DelegationToken("a", "", NOW, NOW, NOW - 1, 1))
        .isInstanceOf(MalformedException.class);
    assertThatThrownBy(() -> new DelegationToken("a", "", NOW, NOW, Long.MAX_VALUE, 1))
        .isInstanceOf(MalformedException.class);
  }

  @Test
  void thePasswordIsOfEachByteAndOfTheKeyOfTheTermOfIssue() {
    Proofs proofs = new Proofs(new ClusterKey(KEY));
    Bytes password = proofs.tokenPassword(TOKEN).orElseThrow();
    assertThat(password.length()).isEqualTo(32);
    assertThat(new Proofs(new ClusterKey(KEY)).tokenPassword(TOKEN)).contains(password);
    assertThat(new Proofs(new ClusterKey(Bytes.wrap(new byte[32]))).tokenPassword(TOKEN))
        .isPresent()
        .isNotEqualTo(Optional.of(password));
    DelegationToken forged = new DelegationToken("root", "yarn", NOW, NOW + DAY, NOW + 7 * DAY, -5);
    assertThat(proofs.tokenPassword(forged)).isPresent().isNotEqualTo(Optional.of(password));
    assertThat(TOKEN.possession(password)).isNotEqualTo(TOKEN.possession(KEY));
    int later = TermKeys.termOf((NOW + 30 * DAY) * 1_000_000);
    assertThat(new Proofs(new ClusterKey(Map.of(later, KEY))).tokenPassword(TOKEN))
        .as("the key of its term was retired")
        .isEmpty();
    assertThat(
            new Proofs(new ClusterKey(Map.of(0, KEY, later, Bytes.wrap(new byte[32]))))
                .tokenPassword(TOKEN))
        .as("rotated")
        .contains(password);
  }

  @Test
  void withoutAClusterKeyThereIsNone() {
    assertThat(Proofs.OPEN.tokenPassword(TOKEN)).isEmpty();
  }
}
