/** Certification of reads of serializable transactions. */
@NullMarked
package io.lampone.coprocessor.certify;

import org.jspecify.annotations.NullMarked;
