package io.lampone.lab;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.security.KeyPairGenerator;
import java.util.Date;
import org.bouncycastle.bcpg.ArmoredOutputStream;
import org.bouncycastle.bcpg.HashAlgorithmTags;
import org.bouncycastle.bcpg.PublicKeyAlgorithmTags;
import org.bouncycastle.bcpg.SymmetricKeyAlgorithmTags;
import org.bouncycastle.openpgp.PGPException;
import org.bouncycastle.openpgp.PGPPublicKey;
import org.bouncycastle.openpgp.PGPSecretKey;
import org.bouncycastle.openpgp.PGPSignature;
import org.bouncycastle.openpgp.PGPSignatureList;
import org.bouncycastle.openpgp.PGPUtil;
import org.bouncycastle.openpgp.bc.BcPGPObjectFactory;
import org.bouncycastle.openpgp.operator.bc.BcPBESecretKeyEncryptorBuilder;
import org.bouncycastle.openpgp.operator.bc.BcPGPContentSignerBuilder;
import org.bouncycastle.openpgp.operator.bc.BcPGPContentVerifierBuilderProvider;
import org.bouncycastle.openpgp.operator.bc.BcPGPDigestCalculatorProvider;
import org.bouncycastle.openpgp.operator.jcajce.JcaPGPKeyPair;

/** A throwaway OpenPGP key. */
final class PgpKey {

  private final PGPSecretKey secret;

  /** Creates a key (RSA, 2,048 bits) protected by the passphrase. */
  PgpKey(String passphrase) throws GeneralSecurityException, PGPException {
    KeyPairGenerator generator = KeyPairGenerator.getInstance("RSA");
    generator.initialize(2048);
    JcaPGPKeyPair pair =
        new JcaPGPKeyPair(
            PublicKeyAlgorithmTags.RSA_GENERAL, generator.generateKeyPair(), new Date());
    secret =
        new PGPSecretKey(
            PGPSignature.DEFAULT_CERTIFICATION,
            pair,
            "Test of releases <test@example.org>",
            new BcPGPDigestCalculatorProvider().get(HashAlgorithmTags.SHA1),
            null,
            null,
            new BcPGPContentSignerBuilder(
                PublicKeyAlgorithmTags.RSA_GENERAL, HashAlgorithmTags.SHA256),
            new BcPBESecretKeyEncryptorBuilder(SymmetricKeyAlgorithmTags.AES_256)
                .build(passphrase.toCharArray()));
  }

  /** Returns the secret key as {@code gpg --armor --export-secret-keys} prints it. */
  String armored() throws IOException {
    ByteArrayOutputStream text = new ByteArrayOutputStream();
    try (ArmoredOutputStream armor = new ArmoredOutputStream(text)) {
      secret.encode(armor);
    }
    return text.toString(StandardCharsets.US_ASCII);
  }

  /** Returns true if an armored detached signature is this key's over the content. */
  boolean verifies(byte[] content, byte[] armoredSignature) throws IOException, PGPException {
    BcPGPObjectFactory packets =
        new BcPGPObjectFactory(
            PGPUtil.getDecoderStream(new ByteArrayInputStream(armoredSignature)));
    PGPSignature signature = ((PGPSignatureList) packets.nextObject()).get(0);
    PGPPublicKey key = secret.getPublicKey();
    signature.init(new BcPGPContentVerifierBuilderProvider(), key);
    signature.update(content);
    return signature.verify();
  }
}
