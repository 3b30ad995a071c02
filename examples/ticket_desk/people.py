"""Names for the invented customers, what they bought, and the articles that help them."""

from __future__ import annotations

ENGLISH_NAMES = (
    "Ada Penhallow",
    "Bram Okafor",
    "Cleo Marchbank",
    "Dorian Pell",
    "Esme Thistlewood",
    "Felix Adeyemi",
    "Greta Lindqvist",
    "Hugo Brandsma",
    "Imani Castell",
    "Jonas Wexley",
    "Keira Moynihan",
    "Lorcan Vance",
    "Mira Halloran",
    "Nico Santangelo",
    "Opal Greaves",
    "Piet Van Rossem",
    "Quinn Abernathy",
    "Rosa Delacroix",
)
CHINESE_NAMES = (
    ("林晓雨", "lin.xiaoyu"),
    ("赵一鸣", "zhao.yiming"),
    ("苏文静", "su.wenjing"),
    ("周子航", "zhou.zihang"),
    ("何思远", "he.siyuan"),
    ("顾梦瑶", "gu.mengyao"),
)
PRODUCTS = (
    ("dishwasher", "洗碗机"),
    ("washing machine", "洗衣机"),
    ("boiler", "热水器"),
    ("fridge", "冰箱"),
    ("oven", "烤箱"),
    ("heat pump", "热泵"),
)
COMPLAINTS = (
    ("leaks at the door", "门口漏水"),
    ("does not switch on", "无法开机"),
    ("makes a grinding noise", "有摩擦声"),
    ("stops after ten minutes", "十分钟后就停"),
    ("shows error F7", "显示故障 F7"),
)
QUESTIONS = (
    ("descale", "除垢"),
    ("clean the filter", "清洗滤网"),
    ("reset the child lock", "解除童锁"),
    ("level the feet", "调平底脚"),
)
