package io.lampone.tm.security;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.Collections;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;

final class PrincipalsTest {

  private static final String SECRET = "0123456789abcdef";

  @Test
  void aLineHasANameRolesTenantsAndASecret() {
    Principals principals =
        Principals.parse(
            List.of(
                "# comment",
                "",
                "shop client shop,books " + SECRET,
                "  root\tadministrator,client \t* -"));
    assertThat(principals.size()).isEqualTo(2);
    assertThat(principals.find("shop"))
        .contains(new Principal("shop", Set.of(Principal.Role.CLIENT), List.of("shop", "books")));
    assertThat(principals.find("root").orElseThrow().mayAdminister()).isTrue();
    assertThat(principals.find("nobody")).isEmpty();
  }

  @Test
  void aLineThatCannotBeReadIsNamedAndItsSecretIsNot() {
    for (String line :
        new String[] {
          "shop client shop",
          "shop client shop " + SECRET + " more",
          "shop clerk shop " + SECRET,
          "shop client sh/op " + SECRET,
          "sh/op client shop " + SECRET,
          "shop client shop short-and-secret".substring(0, 30),
          "shop client shop\u00a0x " + SECRET,
          "shop  client shop,,x " + SECRET,
          // swapped columns
          SECRET + " shop client shop",
          SECRET + " client shop shop",
          "shop " + SECRET + " shop client",
          "shop client " + SECRET + "/+ shop",
          SECRET + "/+ client shop shop",
        }) {
      assertThatThrownBy(() -> Principals.parse(List.of("# one", line)))
          .as(line)
          .isInstanceOf(IllegalArgumentException.class)
          .hasMessageContaining("line=2")
          .message()
          .doesNotContain(SECRET)
          .doesNotContain("short-and-secret".substring(0, 13));
    }
  }

  @Test
  void aSecondLineMayBringAnotherSecretAndNothingElse() {
    String line = "shop client shop ";
    Principals.parse(List.of(line + SECRET, line + "another-secret-as-long"));
    for (List<String> lines :
        List.of(
            List.of(line + SECRET, "shop administrator shop " + SECRET),
            List.of(line + SECRET, line + "-"),
            List.of(line + "-", line + SECRET),
            List.of(line + SECRET, line + SECRET, line + SECRET))) {
      assertThatThrownBy(() -> Principals.parse(lines))
          .isInstanceOf(IllegalArgumentException.class)
          .hasMessageContaining("shop")
          .hasMessageContaining("line=" + lines.size());
    }
  }

  @Test
  void aFileHasALimit() {
    assertThatThrownBy(() -> Principals.parse(Collections.nCopies(Principals.MAX_LINES + 1, "")))
        .hasMessageContaining("too many lines");
  }

  @Test
  void noPrincipalHasTheNameOfAToken() {
    assertThatThrownBy(
            () -> Principals.parse(List.of("token:AQIDBA client * the-secret-of-the-shop")))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("the first column is no name of a principal");
  }
}
