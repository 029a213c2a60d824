/** Certifications of what serializable transactions have read. */
@NullMarked
package io.lampone.coprocessor.certify;

import org.jspecify.annotations.NullMarked;
