/** Settlement of transactions that their clients have abandoned (protocol page, section 5). */
@NullMarked
package io.lampone.coprocessor.core.healing;

import org.jspecify.annotations.NullMarked;
